import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLineForwarder } from "./line-forwarder.js";

it("a line forwarder sends the lines of one turn together, and those that wait at the exit at once", async () => {
  const sent: (readonly string[])[] = [];
  const forwarder = createLineForwarder((lines) => sent.push(lines));
  forwarder.write("a");
  forwarder.write("b");
  await setImmediate();
  forwarder.write("c");
  forwarder.flushAtExit();
  await setImmediate();
  expect(sent).toEqual([["a", "b"], ["c"]]);
});
