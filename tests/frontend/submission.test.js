// Submitting on a bad line, twice, and with answers that do not fit.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Submission } from "../../frontend/static/js/submission.js";
import { Clock } from "./standins.js";

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
