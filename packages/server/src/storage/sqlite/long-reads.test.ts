import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createTurns } from "./long-reads.js";

it("one of several long reads continues in each turn of the event loop", async () => {
  const nextTurn = createTurns();
  const order: string[] = [];
  const read = async (name: string) => {
    for (let part = 1; part <= 2; part += 1) {
      await nextTurn();
      order.push(name + part);
    }
  };
  const reads = Promise.all([read("a"), read("b")]);
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate();
    order.push("other call");
  }
  await reads;
  expect(order.join()).toBe("other call,a1,other call,b1,other call,a2,other call,b2");
});
