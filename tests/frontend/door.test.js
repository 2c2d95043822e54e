// What goes on the wire.

import assert from "node:assert/strict";
import { test } from "node:test";

import { counter, door, passing, shut } from "../../frontend/static/js/door.js";
import { line } from "./standins.js";

const DRAFT = "/api/desk/key/poem/abc/draft/";
const JUDGMENT = "/api/desk/key/poem/abc/judgment/";

test("a save is a PUT of answers, version and time in view", async () => {
  const { calls, fetch } = line(Response.json({ version: 3 }));
  const reply = await door(DRAFT, () => 9000, fetch)({ form: "4" }, 2);
  assert.deepEqual(reply, { status: 200, body: { version: 3 } });
  assert.equal(calls[0].address, DRAFT);
  assert.equal(calls[0].method, "PUT");
  assert.deepEqual(calls[0].content, { answers: { form: "4" }, version: 2, milliseconds: 9000 });
});

test("a submission is a POST of answers, time in view, and the draft and stage they are from", async () => {
  const { calls, fetch } = line(Response.json({ next: "/desk/key/" }, { status: 201 }));
  const sent = { answers: { form: "4" }, milliseconds: 9000, version: 2, stage: 1 };
  const reply = await counter(JUDGMENT, fetch)(sent);
  assert.deepEqual(reply, { status: 201, body: { next: "/desk/key/" } });
  assert.equal(calls[0].method, "POST");
  assert.deepEqual(calls[0].content, sent);
});

test("a request outlives its page unless it is longer than browsers allow", async () => {
  const { calls, fetch } = line(Response.json({}));
  const put = door(DRAFT, () => 0, fetch);
  await put({ comment: "short" }, 0);
  await put({ comment: "long".repeat(10_000) }, 0);
  assert.deepEqual(
    calls.map(({ keepalive }) => keepalive),
    [true, false],
  );
});

test("a reply that is no JSON still has its status", async () => {
  const { fetch } = line(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  assert.deepEqual(await door(DRAFT, () => 0, fetch)({}, 0), { status: 502, body: {} });
});

test("a status blames the line, the link or what was sent", () => {
  const all = [0, 200, 201, 400, 401, 403, 404, 408, 409, 413, 429, 500, 503];
  assert.deepEqual(all.filter(passing), [0, 408, 429, 500, 503]);
  assert.deepEqual(all.filter(shut), [401, 403, 404]);
});
