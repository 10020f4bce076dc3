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
