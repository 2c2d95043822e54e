// The way to the server: one address, one kind of request, and whatever it replies.

const PATIENCE = 20_000; // milliseconds before a silent line counts as none
const KEEPALIVE_LIMIT = 20_000; // characters; browsers refuse more than 64 KiB of it
const TRY_AGAIN = new Set([408, 425, 429]);
const SHUT = new Set([401, 403, 404, 410]);

/** Return a function that puts a draft at `address` and resolves to {status, body}. */
export function door(address, elapsed, fetch = globalThis.fetch) {
  return (answers, version) =>
    send("PUT", address, { answers, version, milliseconds: elapsed() }, fetch);
}

/** Return a function that posts finished answers to `address` and resolves to {status, body}. */
export function counter(address, fetch = globalThis.fetch) {
  return ({ answers, milliseconds, version, stage }) =>
    send("POST", address, { answers, milliseconds, version, stage }, fetch);
}

/** Return whether a status tells of the line or the server's state, not of what was sent. */
export const passing = (status) => status === 0 || status >= 500 || TRY_AGAIN.has(status);

/** Return whether a status says that this link does not open this poem. */
export const shut = (status) => SHUT.has(status);

async function send(method, address, content, fetch) {
  const body = JSON.stringify(content);
  const reply = await fetch(address, {
    method,
    credentials: "same-origin",
    keepalive: body.length < KEEPALIVE_LIMIT, // so that a save outlives the page that began it
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body,
    signal: AbortSignal.timeout(PATIENCE),
  });
  return { status: reply.status, body: await reply.json().catch(() => ({})) };
}
