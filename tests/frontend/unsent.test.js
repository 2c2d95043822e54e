// What earlier pages left unsent.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Copy } from "../../frontend/static/js/copy.js";
import { sendUnsent } from "../../frontend/static/js/unsent.js";
import { MemoryStorage, line } from "./standins.js";

const LEFT = "/api/desk/key/poem/abc/draft/";
const HERE = "/api/desk/key/poem/xyz/draft/";
const now = () => 120_000;

function left() {
  const storage = new MemoryStorage();
  new Copy(storage, LEFT, { now: () => 0, elapsed: () => 9000 }).write({ form: "4" }, 2);
  new Copy(storage, HERE, { now: () => 0 }).write({ form: "1" }, 1);
  return storage;
}

test("another poem's draft is sent with its time and forgotten once it is saved", async () => {
  const storage = left();
  const { calls, fetch } = line(Response.json({ version: 3 }));
  await sendUnsent(storage, HERE, { fetch, now });
  assert.deepEqual(
    calls.map(({ address, content }) => [address, content]),
    [[LEFT, { answers: { form: "4" }, version: 2, milliseconds: 9000 }]],
  );
  assert.equal(new Copy(storage, LEFT).read(), null);
  assert.ok(new Copy(storage, HERE).read());
});

test("what does not get through, or is not wanted as it is, is kept", async () => {
  const newer = Response.json({ answers: { form: "5" }, version: 7 }, { status: 409 });
  const replies = ["no line", new Response("", { status: 503 }), Response.json({}, { status: 404 }), newer];
  for (const reply of replies) {
    const storage = left();
    await sendUnsent(storage, HERE, { fetch: line(reply).fetch, now });
    assert.deepEqual(new Copy(storage, LEFT).read().answers, { form: "4" });
  }
});

test("what comes after the poem was submitted is put aside", async () => {
  const storage = left();
  const { fetch } = line(Response.json({ detail: "already answered" }, { status: 409 }));
  await sendUnsent(storage, HERE, { fetch, now });
  assert.equal(new Copy(storage, LEFT).read(), null);
  const aside = new Copy(storage, "/desk/key/poem/abc/", { kind: "aside" });
  assert.deepEqual(aside.read().answers, { form: "4" });
});
