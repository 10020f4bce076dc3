import { Readable, Writable } from "node:stream";
import { expect, it } from "vitest";
import { sendBody } from "../src/answer.js";
import { createMasking } from "../src/mask-secrets.js";

/** Starts an answer of 1,000 parts, whose reader takes nothing but the first one. */
function start() {
  let read = 0;
  const parts = function* () {
    for (; read < 1_000; read += 1) yield Buffer.from("part");
  };
  const source = Readable.from(parts(), { highWaterMark: 1 });
  const response = new Writable({ highWaterMark: 16, write: () => {} });
  const ended = sendBody(source, response, createMasking([]));
  return { source, response, ended, read: () => read };
}

it("of an answer is read only what its reader takes", async () => {
  const { read } = start();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((done) => setImmediate(done));
  expect(read()).toBeGreaterThan(1);
  expect(read()).toBeLessThan(10);
});

it("an answer whose reader is gone ends, also at its upstream", async () => {
  const { source, response, ended } = start();
  response.destroy();
  await ended;
  expect(source.destroyed).toBe(true);
});
