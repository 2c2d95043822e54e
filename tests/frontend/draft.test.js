// Drafts on a bad line, in two tabs, and on a good day.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Copy } from "../../frontend/static/js/copy.js";
import { Draft } from "../../frontend/static/js/draft.js";
import { Clock, MemoryCopy, MemoryStorage } from "./standins.js";

/** A server that keeps one draft by the rules of the real one; `fate` spoils single requests. */
class Server {
  constructor(answers = {}, version = 0) {
    Object.assign(this, { answers, version, fates: [], puts: 0, submitted: false });
  }
  put = async (answers, version) => {
    this.puts += 1;
    const fate = this.fates.shift();
    if (fate === "no line") throw new TypeError("Failed to fetch");
    if (typeof fate === "number") return { status: fate, body: {} };
    const reply = this.#answer(answers, version);
    if (fate === "reply lost") throw new TypeError("Failed to fetch");
    return reply;
  };
  #answer(answers, version) {
    if (this.submitted) return { status: 409, body: { detail: "already answered" } };
    const equal = JSON.stringify(answers) === JSON.stringify(this.answers);
    if (version !== this.version && !equal) {
      return { status: 409, body: { detail: "", answers: this.answers, version: this.version } };
    }
    if (version === this.version) Object.assign(this, { answers, version: version + 1 });
    return { status: 200, body: { version: this.version, saved_at: "2026-11-20T14:02:00Z" } };
  }
}

function desk({ server = new Server(), copy = new MemoryCopy(), ...given } = {}) {
  const aside = new MemoryCopy();
  const clock = new Clock();
  const told = [];
  const draft = new Draft({
    put: server.put,
    copy,
    aside,
    tell: (turn) => told.push(turn),
    version: server.version,
    saved: server.answers,
    clock,
    ...given,
  });
  return { server, copy, aside, clock, told, draft };
}

test("a change is saved within a second and a half", async () => {
  const { server, copy, clock, told, draft } = desk();
  draft.change({ form: "4" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "4" });
  assert.deepEqual(told, ["saved"]);
  assert.equal(copy.kept, null);
});

test("typing on is saved while it goes on, but not at every key", async () => {
  const { server, clock, draft } = desk();
  const written = "The third line limps, and means to.";
  for (let length = 1; length <= written.length; length += 1) {
    draft.change({ comment: written.slice(0, length) });
    await clock.pass(100);
    if (length === 20) assert.ok(server.answers.comment.length >= 5);
  }
  await clock.pass(1500);
  assert.ok(server.puts <= 4);
  assert.deepEqual(server.answers, { comment: written });
});

test("what changes while a save is under way is saved after it", async () => {
  const { server, clock, draft } = desk();
  draft.change({ form: "4" });
  const saving = draft.save();
  draft.change({ form: "5" });
  await saving;
  await clock.pass(3000);
  assert.deepEqual(server.answers, { form: "5" });
  assert.equal(server.version, 2);
});

test("unchanged answers are not sent", async () => {
  const { server, clock, draft } = desk({ server: new Server({ form: "4" }, 1) });
  draft.change({ form: "4" });
  await clock.pass(5000);
  assert.equal(server.puts, 0);
});

test("without a line the copy is kept until a later try gets through", async () => {
  const { server, copy, clock, told, draft } = desk();
  server.fates = ["no line", 503, 429];
  draft.change({ form: "4" });
  await clock.pass(4000);
  assert.deepEqual(copy.kept, { answers: { form: "4" }, version: 0 });
  await clock.pass(20_000);
  assert.deepEqual(told, ["unsaved", "unsaved", "unsaved", "saved"]);
  assert.deepEqual(server.answers, { form: "4" });
  assert.equal(copy.kept, null);
});

test("tries never stop and are at most fifteen seconds apart", async () => {
  const { server, clock, draft } = desk();
  server.fates = Array(1000).fill("no line");
  draft.change({ form: "4" });
  await clock.pass(10 * 60_000);
  const before = server.puts;
  await clock.pass(15_000);
  assert.equal(server.puts, before + 1);
});

test("a save whose reply was lost is not taken for another tab's", async () => {
  const { server, clock, told, draft } = desk();
  server.fates = ["reply lost"];
  draft.change({ form: "4" });
  await clock.pass(1200);
  draft.change({ form: "4", theme: "2" });
  await clock.pass(10_000);
  assert.deepEqual(told, ["unsaved", "saved"]);
  assert.deepEqual(server.answers, { form: "4", theme: "2" });
});

test("newer answers from another tab neither replace nor are replaced unasked", async () => {
  const { server, copy, clock, told, draft } = desk();
  Object.assign(server, { answers: { form: "1" }, version: 1 });
  draft.change({ form: "4" });
  await clock.pass(1200);
  draft.change({ form: "4", theme: "2" });
  await clock.pass(60_000);
  assert.deepEqual(told, ["newer"]);
  assert.deepEqual(server.answers, { form: "1" });
  assert.deepEqual(copy.kept.answers, { form: "4", theme: "2" });
});

test("the newer answers can be taken", async () => {
  const { server, copy, clock, draft } = desk();
  Object.assign(server, { answers: { form: "1" }, version: 1 });
  draft.change({ form: "4" });
  await clock.pass(1200);
  assert.deepEqual(draft.newer, { form: "1" });
  assert.deepEqual(draft.takeNewer(), { form: "1" });
  assert.equal(draft.newer, null);
  assert.equal(copy.kept, null);
  draft.change({ form: "1", theme: "3" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "1", theme: "3" });
});

test("the answers typed here can be kept", async () => {
  const { server, copy, clock, draft } = desk();
  Object.assign(server, { answers: { form: "1" }, version: 1 });
  draft.change({ form: "4" });
  await clock.pass(1200);
  await draft.keepMine();
  assert.deepEqual(server.answers, { form: "4" });
  assert.equal(copy.kept, null);
});

test("a copy from an earlier visit is shown and saved", async () => {
  const copy = new MemoryCopy();
  copy.write({ form: "4" }, 1);
  const { server, clock, draft } = desk({ copy, server: new Server({ form: "2" }, 1) });
  assert.deepEqual(draft.restore(), { form: "4" });
  await clock.pass(0);
  assert.deepEqual(server.answers, { form: "4" });
});

test("a copy older than the server's draft is shown, and the judge chooses", () => {
  const copy = new MemoryCopy();
  copy.write({ form: "4" }, 1);
  const { told, draft } = desk({ copy, server: new Server({ form: "2" }, 5) });
  assert.deepEqual(draft.restore(), { form: "4" });
  assert.deepEqual(told, ["newer"]);
  assert.deepEqual(draft.takeNewer(), { form: "2" });
});

test("a copy that says what the server says is forgotten", () => {
  const copy = new MemoryCopy();
  copy.write({ form: "2" }, 1);
  const { draft } = desk({ copy, server: new Server({ form: "2" }, 2) });
  assert.equal(draft.restore(), null);
  assert.equal(copy.kept, null);
});

test("a submitted poem is not saved again, and what came too late is put aside", async () => {
  const { server, copy, aside, clock, told, draft } = desk();
  server.submitted = true;
  draft.change({ form: "4" });
  await clock.pass(1500);
  draft.change({ form: "5" });
  await clock.pass(60_000);
  assert.deepEqual(told, ["answered"]);
  assert.equal(server.puts, 1);
  assert.equal(copy.kept, null);
  assert.deepEqual(aside.kept.answers, { form: "4" });
});

test("a refused save is not repeated until something changes", async () => {
  const { server, copy, clock, told, draft } = desk();
  server.fates = [400];
  draft.change({ form: "4" });
  await clock.pass(120_000);
  assert.deepEqual(told, ["refused"]);
  assert.deepEqual(copy.kept.answers, { form: "4" });
  draft.change({ form: "5" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "5" });
});

test("nothing is sent once the answers are being submitted", async () => {
  const { server, copy, clock, draft } = desk();
  draft.change({ form: "4" });
  draft.rest();
  await clock.pass(60_000);
  assert.equal(server.puts, 0);
  assert.deepEqual(copy.kept.answers, { form: "4" });
});

test("a submission that did not get through leaves the draft at work", async () => {
  const { server, clock, draft } = desk();
  draft.change({ form: "4" });
  draft.rest();
  draft.wake();
  await clock.pass(0);
  assert.deepEqual(server.answers, { form: "4" });
});

test("answers that were submitted and refused are saved as a draft", async () => {
  const { server, clock, draft } = desk({ saved: null });
  draft.change({ form: "4" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "4" });
});

test("a link that has died keeps the copy and says so", async () => {
  for (const status of [401, 403, 404]) {
    const { server, copy, clock, told, draft } = desk();
    server.fates = [status];
    draft.change({ form: "4" });
    await clock.pass(120_000);
    assert.deepEqual(told, ["stale"]);
    assert.deepEqual(copy.kept.answers, { form: "4" });
  }
});

test("of two versions the one not chosen can be brought back, and back again", async () => {
  const { server, clock, draft } = desk();
  Object.assign(server, { answers: { form: "1" }, version: 1 });
  draft.change({ form: "4" });
  await clock.pass(1200);
  draft.takeNewer();
  assert.deepEqual(draft.bringBack().answers, { form: "4" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "4" });
  assert.deepEqual(draft.bringBack().answers, { form: "1" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "1" });
});

test("what was saved elsewhere can be brought back after all", async () => {
  const { server, clock, draft } = desk();
  Object.assign(server, { answers: { form: "1" }, version: 1 });
  draft.change({ form: "4" });
  await clock.pass(1200);
  await draft.keepMine();
  assert.deepEqual(draft.bringBack().answers, { form: "1" });
  await clock.pass(1500);
  assert.deepEqual(server.answers, { form: "1" });
});

test("where later questions are being answered, earlier ones do not overwrite them", async () => {
  const knows = (name) => name === "form";
  const { server, aside, clock, told, draft } = desk({ knows });
  Object.assign(server, { answers: { author: "0.35" }, version: 3 });
  draft.change({ form: "4" });
  await clock.pass(60_000);
  assert.deepEqual(told, ["ahead"]);
  assert.deepEqual(server.answers, { author: "0.35" });
  assert.deepEqual(aside.kept.answers, { form: "4" });
});

test("a page of a part that is fixed elsewhere is told so, even before the next part has answers", async () => {
  const put = async () => ({ status: 409, body: { answers: {}, version: 3, stage: 1 } });
  const { clock, told, draft } = desk({ put, stage: "0" });
  draft.change({ form: "4" });
  await clock.pass(1500);
  assert.deepEqual(told, ["ahead"]);
});

test("of a copy only what is still asked is shown", () => {
  const copy = new MemoryCopy();
  copy.write({ form: "4", author: "0.35" }, 1);
  const knows = (name) => name === "author";
  const { draft } = desk({ copy, knows, server: new Server({}, 1) });
  assert.deepEqual(draft.restore(), { author: "0.35" });
});

test("of a copy what is not asked any more is put aside, and never sent", async () => {
  const copy = new MemoryCopy();
  copy.write({ form: "4" }, 1);
  const knows = (name) => name === "author";
  const { server, aside, clock, draft } = desk({ copy, knows, server: new Server({ author: "0.2" }, 1) });
  assert.equal(draft.restore(), null);
  await clock.pass(60_000);
  assert.deepEqual(server.answers, { author: "0.2" });
  assert.deepEqual(aside.kept.answers, { form: "4" });
});

test("bringing back what is not asked here empties nothing and sends nothing", async () => {
  const knows = (name) => name === "author";
  const { server, aside, clock, draft } = desk({ knows, server: new Server({ author: "0.7" }, 4) });
  aside.write({ form: "1", comment: "late" }, 0);
  assert.equal(draft.bringBack().answers, null);
  await clock.pass(60_000);
  assert.equal(server.puts, 0);
  assert.deepEqual(aside.kept.answers, { form: "1", comment: "late" });
});

test("each of two conflicts leaves its own answers aside, as they were last", async () => {
  const aside = new Copy(new MemoryStorage(), "/desk/key/poem/abc/", { kind: "aside" });
  const { server, clock, draft } = desk({ aside });
  for (const [theirs, mine] of [["1", "4"], ["2", "5"]]) {
    Object.assign(server, { answers: { form: theirs }, version: server.version + 1 });
    draft.change({ form: mine });
    await clock.pass(1200);
    draft.change({ form: mine, theme: mine });
    draft.takeNewer();
  }
  assert.deepEqual(
    aside.all().map(({ answers }) => answers),
    [
      { form: "5", theme: "5" },
      { form: "4", theme: "4" },
    ],
  );
});

test("a save that is overtaken by the submission says nothing", async () => {
  const { server, aside, clock, told, draft } = desk();
  draft.change({ form: "4" });
  const saving = draft.save();
  server.submitted = true;
  draft.rest();
  await saving;
  await clock.pass(60_000);
  assert.deepEqual(told, []);
  assert.equal(aside.kept, null);
});
