import { expect, it } from "vitest";
import { createSpread } from "./portable.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("runs every task once, in order, and at most perTurn tasks in a turn of the event loop", async () => {
  const spread = createSpread(3);
  const ran: number[] = [];
  for (let task = 0; task < 8; task += 1) spread(() => ran.push(task));
  const counts: number[] = [];
  for (let turns = 0; turns < 4; turns += 1) {
    await turn();
    counts.push(ran.length);
  }
  expect(counts).toEqual([3, 6, 8, 8]);
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("runs tasks that a task adds, and tasks that are added after the queue was empty", async () => {
  const spread = createSpread(2);
  const ran: string[] = [];
  spread(() => {
    ran.push("first");
    spread(() => ran.push("second"));
  });
  await turn();
  await turn();
  expect(ran).toEqual(["first", "second"]);
  spread(() => ran.push("third"));
  await turn();
  expect(ran).toEqual(["first", "second", "third"]);
});
