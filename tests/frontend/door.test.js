// What a save puts on the wire.

import assert from "node:assert/strict";
import { test } from "node:test";

import { door } from "../../frontend/static/js/door.js";

const HERE = "/api/assignments/abc/draft/";

function listening(reply) {
  const calls = [];
  const fetch = async (...call) => {
    calls.push(call);
    return reply;
  };
  return { calls, fetch };
}

test("a save is a PUT of answers and version with the page's token", async () => {
  const { calls, fetch } = listening(Response.json({ version: 3 }));
  const reply = await door(HERE, "token", fetch)({ form: "4" }, 2);
  assert.deepEqual(reply, { status: 200, body: { version: 3 } });
  const [[address, sent]] = calls;
  assert.equal(address, HERE);
  assert.equal(sent.method, "PUT");
  assert.equal(sent.headers["X-CSRFToken"], "token");
  assert.deepEqual(JSON.parse(sent.body), { answers: { form: "4" }, version: 2 });
});

test("a save outlives its page unless it is longer than browsers allow", async () => {
  const { calls, fetch } = listening(Response.json({}));
  const put = door(HERE, "token", fetch);
  await put({ comment: "short" }, 0);
  await put({ comment: "long".repeat(10_000) }, 0);
  assert.deepEqual(
    calls.map(([, { keepalive }]) => keepalive),
    [true, false],
  );
});

test("a reply that is no JSON still has its status", async () => {
  const { fetch } = listening(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  assert.deepEqual(await door(HERE, "token", fetch)({}, 0), { status: 502, body: {} });
});
