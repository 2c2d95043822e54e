// Submitting on a bad line, twice, and with answers that do not fit.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Draft } from "../../frontend/static/js/draft.js";
import { Submission, postFrom } from "../../frontend/static/js/submission.js";
import { Clock, MemoryCopy } from "./standins.js";

const NEXT = { status: 201, body: { next: "/desk/key/poem/xyz/" } };

function desk(...replies) {
  const clock = new Clock();
  const told = [];
  const posts = [];
  const post = async (sent) => {
    posts.push(sent);
    const reply = replies.shift() ?? NEXT;
    if (reply === "no line") throw new TypeError("Failed to fetch");
    return reply;
  };
  const tell = (turn, detail) => told.push(detail ? { [turn]: detail } : turn);
  return { clock, told, posts, submission: new Submission({ post, tell, clock }) };
}

test("what is submitted arrives and says where to go", async () => {
  const { told, posts, submission } = desk();
  await submission.send({ form: "4" }, 9000);
  assert.deepEqual(posts, [{ answers: { form: "4" }, milliseconds: 9000 }]);
  assert.deepEqual(told, [
    "sending",
    { arrived: { next: "/desk/key/poem/xyz/", status: 201, sent: { form: "4" } } },
  ]);
});

test("a double click sends once, and so does a click while the next page loads", async () => {
  const { posts, submission } = desk();
  await Promise.all([submission.send({ form: "4" }, 1), submission.send({ form: "4" }, 2)]);
  await submission.send({ form: "4" }, 3);
  assert.equal(posts.length, 1);
});

test("a poem that was submitted elsewhere leads on as well", async () => {
  const { told, submission } = desk({ status: 409, body: { detail: "", next: "/desk/key/" } });
  await submission.send({ form: "4" }, 0);
  assert.deepEqual(told[1].arrived, { next: "/desk/key/", status: 409, sent: { form: "4" } });
});

test("without a line it is tried until it is through, at most fifteen seconds apart", async () => {
  const { clock, told, posts, submission } = desk(...Array(50).fill("no line"));
  submission.send({ form: "4" }, 9000);
  await clock.pass(10 * 60_000);
  assert.equal(told.at(-1), "waiting");
  assert.ok(submission.asked);
  const before = posts.length;
  await clock.pass(15_000);
  assert.equal(posts.length, before + 1);
  await clock.pass(10 * 60_000);
  assert.ok(told.at(-1).arrived);
});

test("as soon as the line is back it is sent", async () => {
  const { clock, posts, submission } = desk("no line", { status: 503, body: {} });
  submission.send({ form: "4" }, 0);
  await clock.pass(0);
  await submission.again();
  await submission.again();
  assert.equal(posts.length, 3);
  await clock.pass(60_000);
  assert.equal(posts.length, 3);
});

test("answers that change while it waits are not submitted unasked", async () => {
  const { clock, told, posts, submission } = desk("no line");
  submission.send({ form: "4" }, 0);
  await clock.pass(0);
  submission.withdraw();
  await clock.pass(60_000);
  assert.deepEqual(told, ["sending", "waiting", "withdrawn"]);
  assert.equal(posts.length, 1);
  await submission.send({ form: "5" }, 0);
  assert.deepEqual(posts[1].answers, { form: "5" });
});

test("answers that change while they are on a line that breaks are not sent again", async () => {
  const { clock, told, posts, submission } = desk("no line");
  const sending = submission.send({ form: "4" }, 0);
  submission.withdraw();
  await sending;
  await clock.pass(60_000);
  assert.equal(told.at(-1), "withdrawn");
  assert.equal(posts.length, 1);
});

test("what does not fit is told by question, and can be sent again", async () => {
  const answers = { form: "Choose a point of the scale." };
  const { told, posts, submission } = desk({ status: 400, body: { answers } });
  await submission.send({}, 0);
  assert.deepEqual(told, ["sending", { problems: answers }]);
  assert.ok(!submission.asked);
  await submission.send({ form: "4" }, 0);
  assert.equal(posts.length, 2);
});

test("a newer draft calls the submission off, until it is asked for again", async () => {
  const newer = { answers: { form: "5" }, version: 7, stage: 0 };
  const { clock, told, posts, submission } = desk({ status: 409, body: newer });
  await submission.send({ form: "4" }, 0);
  await clock.pass(60_000);
  assert.deepEqual(told, ["sending", { unchosen: newer }]);
  assert.deepEqual([submission.busy, submission.asked, posts.length], [false, false, 1]);
  await submission.send({ form: "5" }, 0);
  assert.ok(told.at(-1).arrived);
});

/** A page with a draft whose replies to PUT are held back until they are given. */
function drafting(...replies) {
  const saves = [];
  const posts = [];
  const draft = new Draft({
    put: () => new Promise((...reply) => saves.push(reply)),
    copy: new MemoryCopy(),
    aside: new MemoryCopy(),
    tell: () => {},
    version: 2,
    saved: {},
    stage: "1",
    clock: new Clock(),
  });
  const post = postFrom(draft, 1, async (sent) => {
    posts.push(sent);
    return replies.shift() ?? NEXT;
  });
  return { draft, saves, posts, post };
}

const ARRIVED = [{ status: 200, body: { version: 3, saved_at: "2026-11-20T14:02:00Z" } }];
const always = () => true;
const turn = () => new Promise((done) => setImmediate(done));

test("a submission waits for the save that is under way and goes on from its version", async () => {
  const { draft, saves, posts, post } = drafting();
  draft.change({ form: "4" });
  draft.save();
  draft.rest();
  const posting = post({ answers: { form: "4" }, milliseconds: 9 }, always);
  await turn();
  assert.equal(posts.length, 0);
  saves[0][0](...ARRIVED);
  assert.equal(await posting, NEXT);
  assert.deepEqual(posts, [{ answers: { form: "4" }, milliseconds: 9, version: 3, stage: 1 }]);
});

test("without a save under way it goes at once, from the version the page came with", async () => {
  const { posts, post } = drafting();
  await post({ answers: { form: "4" }, milliseconds: 9 }, always);
  assert.equal(posts[0].version, 2);
});

test("what changes while it waits is not submitted", async () => {
  const { draft, saves, posts, post } = drafting();
  draft.change({ form: "4" });
  draft.save();
  let wanted = true;
  const posting = post({ answers: { form: "4" } }, () => wanted);
  wanted = false;
  saves[0][0](...ARRIVED);
  assert.equal((await posting).status, 0);
  assert.equal(posts.length, 0);
});

test("a save of our own whose reply was lost is no newer draft", async () => {
  const conflict = { status: 409, body: { answers: { form: "3" }, version: 3, stage: 1 } };
  const { draft, saves, posts, post } = drafting(conflict);
  draft.change({ form: "3" });
  draft.save();
  draft.change({ form: "4" });
  draft.rest();
  const posting = post({ answers: { form: "4" } }, always);
  saves[0][1](new TypeError("Failed to fetch"));
  assert.equal(await posting, NEXT);
  assert.deepEqual(
    posts.map(({ version }) => version),
    [2, 3],
  );
});

test("another's newer draft is handed to the judge, who submits from it after choosing", async () => {
  const conflict = { status: 409, body: { answers: { form: "1" }, version: 5, stage: 1 } };
  const { draft, posts, post } = drafting(conflict);
  draft.change({ form: "4" });
  draft.rest();
  const reply = await post({ answers: { form: "4" } }, always);
  assert.equal(reply, conflict);
  draft.wake();
  draft.meet(reply.body);
  assert.deepEqual(draft.newer, { form: "1" });
  assert.deepEqual(draft.takeNewer(), { form: "1" });
  await post({ answers: { form: "1" } }, always);
  assert.equal(posts.at(-1).version, 5);
});

test("each refusal has its own name and is not repeated", async () => {
  const refusals = [
    [400, "unsubmitted"],
    [403, "shut"],
    [404, "shut"],
    [409, "ahead"],
    [413, "unsubmitted"],
  ];
  for (const [status, turn] of refusals) {
    const { clock, told, posts, submission } = desk({ status, body: {} });
    await submission.send({ form: "4" }, 0);
    await clock.pass(60_000);
    assert.deepEqual(told, ["sending", turn]);
    assert.equal(posts.length, 1);
  }
});

test("a page that is shown again by the back button can submit", async () => {
  const { posts, submission } = desk();
  await submission.send({ form: "4" }, 0);
  submission.reopen();
  await submission.send({ form: "4" }, 0);
  assert.equal(posts.length, 2);
});
