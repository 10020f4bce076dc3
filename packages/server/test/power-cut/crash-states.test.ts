import { describe, expect, it } from "vitest";
import { createCrashStates } from "./crash-states.js";
import type { Operation } from "./operation.js";

const names = (change: Record<string, number | undefined>): Operation => ({
  kind: "names",
  names: new Map(Object.entries(change)),
});
const write = (file: number, offset: number, text: string): Operation => ({
  kind: "write",
  file,
  offset,
  bytes: Buffer.from(text),
});
const flush = (of: number | "names", failed = false): Operation => ({ kind: "flush", of, failed });
const created: Operation[] = [names({ a: 0 }), flush("names"), write(0, 0, "old"), flush(0)];

/** Returns the contents that the files of a folder have after any of many power cuts at the end of the operations. */
function outcomes(operations: readonly Operation[], survives = 0.5, tears = 0): string[] {
  const states = createCrashStates(operations);
  const found = Array.from({ length: 300 }, (_, seed) => {
    const { files } = states({ after: operations.length, survives, tears, seed });
    return [...files].map(([name, bytes]) => `${name}:${bytes.toString("latin1")}`).join(" ");
  });
  return [...new Set(found)].sort();
}

describe("a simulated power cut", () => {
  it.each<[string, Operation[], string[]]>([
    ["keeps what was flushed", created, ["a:old"]],
    [
      "keeps or loses each later write",
      [...created, write(0, 0, "N"), write(0, 2, "W")],
      ["NlW", "Nld", "olW", "old"].map((text) => `a:${text}`),
    ],
    [
      "can lose a write after which only another file was flushed",
      [...created, write(0, 0, "new"), flush(1), flush("names")],
      ["a:new", "a:old"],
    ],
    [
      "never brings back what a flushed write has replaced",
      [...created, write(0, 0, "1"), write(0, 0, "2"), flush(0)],
      ["a:2ld"],
    ],
    [
      "can lose a write of which a flush failed, also after a later flush",
      [...created, write(0, 0, "N"), flush(0, true), write(0, 2, "W"), flush(0)],
      ["a:NlW", "a:olW"],
    ],
    ["can undo a truncation", [...created, { kind: "truncate", file: 0, size: 1 }], ["a:o", "a:old"]],
    ["can lose a new file", [...created, names({ b: 1 }), write(1, 0, "x"), flush(1)], ["a:old", "a:old b:x"]],
    [
      "keeps the old name or the new one after a rename, but not both",
      [...created, names({ a: undefined, b: 0 })],
      ["a:old", "b:old"],
    ],
    ["can undo a removal", [...created, names({ a: undefined })], ["", "a:old"]],
  ])("%s", (_, operations, expected) => {
    expect(outcomes(operations)).toEqual(expected.sort());
  });

  it("can keep the first bytes of a write, some of its sectors, or other bytes, but changes nothing outside of it", () => {
    const old = "o".repeat(2000);
    const torn = outcomes(
      [names({ a: 0 }), flush("names"), write(0, 0, old), flush(0), write(0, 100, "n".repeat(1500))],
      0,
      1,
    );
    const contents = torn.map((file) => file.slice(2));
    expect(contents.some((text) => /^o{100}n+o+$/.test(text) && (text.lastIndexOf("n") + 1) % 512 !== 0)).toBe(true);
    expect(contents.some((text) => /^o{512}n{512}o+$/.test(text))).toBe(true);
    expect(contents.some((text) => text.includes("\0".repeat(400)))).toBe(true);
    expect(contents.every((text) => text.startsWith("o".repeat(100)) && text.endsWith("o".repeat(400)))).toBe(true);
  });
});
