// The way to the server: one draft, one address.

const PATIENCE = 20_000; // milliseconds before a silent line counts as none
const KEEPALIVE_LIMIT = 20_000; // characters; browsers refuse more than 64 KiB of it

/** Return a function that puts a draft at `address` and resolves to {status, body}. */
export function door(address, csrf, fetch = globalThis.fetch) {
  return async (answers, version) => {
    const body = JSON.stringify({ answers, version });
    const reply = await fetch(address, {
      method: "PUT",
      credentials: "same-origin",
      keepalive: body.length < KEEPALIVE_LIMIT, // so that a save outlives the page that began it
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrf },
      body,
      signal: AbortSignal.timeout(PATIENCE),
    });
    return { status: reply.status, body: await reply.json().catch(() => ({})) };
  };
}
