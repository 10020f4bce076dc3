import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { createAdmission } from "./admission.js";

const bodyOf = (...sizes: readonly number[]) => Readable.from(sizes.map((size) => Buffer.alloc(size)));

const tooMany = expect.objectContaining({ init: expect.objectContaining({ reason: "TOO_MANY_CALLS", status: 429 }) });

it("bounds the bytes of all bodies that are held, and counts a call until it leaves", async () => {
  const admit = createAdmission(100);
  const [first, second, third] = [admit("g-1"), admit("g-2"), admit("g-3")];
  expect((await first.bodyOf(bodyOf(30, 30))).length).toBe(60);
  await expect(second.bodyOf(bodyOf(20, 21))).rejects.toEqual(tooMany);
  second.leave();
  expect((await third.bodyOf(bodyOf(40))).length).toBe(40);
  first.leave();
  expect((await admit("g-1").bodyOf(bodyOf(60))).length).toBe(60);
});

it("holds 256 MiB by default", () => {
  const { hold } = createAdmission()("g-1");
  hold(256 * 1024 * 1024);
  expect(() => hold(1)).toThrow(tooMany);
});
