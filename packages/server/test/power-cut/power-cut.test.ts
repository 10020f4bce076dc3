import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createCrashStates } from "./crash-states.js";
import { createDisk } from "./disk.js";
import { expectationOf, type Mark } from "./model.js";
import { openNextVersion } from "./open-next-version.js";
import type { Operation } from "./operation.js";
import { type Recording, record } from "./record.js";
import { shimSupport } from "./shim.js";
import { findsContradiction, powerCuts, runs, surviveAll } from "./simulate-power-cuts.js";

const module = "scenario-child.ts";

/**
 * Starts of the storage, each with commits, shreddings and checkpoints: the first one, two more, one after `kill -9`, and one
 * after failed flushes and `kill -9`.
 */
const starts = [
  ["open-small", "vaults", "run a 6", "close", "open", "run b 3", "close", "open-small", "run c 4", "kill"],
  ["open", "run d 3", "fail 1-1000", "run e 2", "kill"],
  ["open", "run f 1"],
];

const marksOf = (operations: readonly Operation[]) =>
  operations.flatMap((operation): Mark[] => (operation.kind === "mark" ? [JSON.parse(operation.text)] : []));

describe.skipIf(shimSupport.skip)(`power cuts, simulated from ${shimSupport.title}`, () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await record({ module, processes: starts });
  });

  it("the recorded operations reproduce the files of the process", () => {
    const disk = createDisk();
    for (const operation of recording.operations) disk.apply(operation);
    expect(disk.files()).toEqual(recording.after);
    expect(expectationOf(marksOf(recording.operations)).shredded.size).toBeGreaterThan(20);
  });

  it("a power cut loses no acknowledged call, stores no call in part, and leaves no shredded content", async () => {
    await surviveAll(recording.operations, { cuts: runs(60) });
  });

  it("a power cut at the start after failed flushes and kill -9 loses nothing either", async () => {
    const from = recording.operations.findLastIndex(({ kind }) => kind === "start");
    await surviveAll(recording.operations, { cuts: runs(20), from });
  });

  it("a power cut during or after the recovery from another one loses nothing either", async () => {
    const states = createCrashStates(recording.operations);
    for (const cut of fc.sample(powerCuts(recording.operations), runs(1))) {
      const { files, marks } = states(cut);
      const again = await record({ module, processes: [["open-small", "vaults", "run again 2"]], before: files });
      await surviveAll(again.operations, { cuts: 20, earlier: marks });
    }
  });

  it("a power cut during a migration loses nothing either", async () => {
    const { operations: before, after } = await record({ module, processes: [["open", "vaults", "run a 6", "close"]] });
    const processes = [["open-next-version", "run b 1"]];
    const { operations } = await record({ module, processes, before: after });
    const earlier = before.flatMap((each) => (each.kind === "mark" ? each.text : []));
    await surviveAll(operations, { cuts: runs(20), earlier, open: openNextVersion });
  });

  it("a power cut loses nothing either if the storage is in a thread that ends after failed flushes", async () => {
    const { operations, output } = await record({
      module,
      processes: [
        [
          "open-thread",
          "vaults",
          "run a 3",
          "fail 2-3",
          "run b 2",
          "fail",
          "end-thread c 3",
          "open-thread",
          "run d 2",
          "kill",
        ],
        ["open-thread", "run e 1"],
      ],
    });
    expect(output).toMatch(/^open-thread: ok\nend-thread: unavailable\nopen-thread: ok\nopen-thread: ok\n$/);
    await surviveAll(operations, { cuts: runs(20) });
  });

  it("a power cut takes nothing away that was read while the writer's thread wrote", async () => {
    const scenario = ["open-thread", "vaults", "run a 4", "fail 4-6", "run b 3", "fail", "run c 3", "kill"];
    const { operations } = await record({ module, processes: [scenario, ["open-thread", "run d 1"]] });
    expect(expectationOf(marksOf(operations)).read.size).toBeGreaterThan(20);
    await surviveAll(operations, { cuts: runs(40) });
  });

  it.each(["platform.db", "platform.db-wal", "the folder"])(
    "the simulation finds the loss on a disk that ignores flushes of %s",
    async (ignored) => {
      const { operations } = recording;
      const names = new Map<unknown, string>([["names", "the folder"]]);
      for (const each of operations) {
        if (each.kind === "names") for (const [name, file] of each.names) names.set(file, name);
      }
      const kept = operations.filter((each) => each.kind !== "flush" || names.get(each.of) !== ignored);
      expect(await findsContradiction(kept, /lost|damaged/i)).toBe(true);
    },
  );

  it("the simulation finds content that was shredded without secure_delete", async () => {
    const scenario = ["open-small PRAGMA secure_delete = OFF", "vaults", "run a 3"];
    const { operations } = await record({ module, processes: [scenario] });
    expect(await findsContradiction(operations, /contains shredded/)).toBe(true);
  });
});

describe.skipIf(shimSupport.skip)(`failing flushes, in ${shimSupport.title}`, () => {
  const steps = (count: number, step: (number: number) => readonly string[]) =>
    Array.from({ length: count }, (_, index) => step(index + 1)).flat();

  it("a failed flush fails its calls as unavailable, and loses nothing acknowledged before or after it", async () => {
    const { operations, output } = await record({
      module,
      processes: [
        [
          ...steps(7, (number) => [`fail ${number}-${number}`, "open-small"]),
          ...["fail", "check", "vaults"],
          ...steps(8, (number) => [`fail ${number}-${number + 2}`, `run flush-${number} 2`]),
          ...["fail 1-1000", "run outage 1", "check", "fail", "check", "run recovered 1"],
          ...["fail 2-2", "close", "fail 1-9", "open", "check", "fail", "check", "run reopened 1"],
        ],
      ],
    });
    const unavailable = "Storage failed: unavailable";
    expect(output.split("\n").filter((line) => !line.startsWith("open"))).toEqual([
      "check: ok",
      `check: ${unavailable}`,
      // Also after flushes succeed again, for 15 s.
      `check: ${unavailable}`,
      `close: ${unavailable}`,
      `check: ${unavailable}`,
      `check: ${unavailable}`,
      "",
    ]);
    const marks = marksOf(operations);
    const reasons = new Set(marks.flatMap((mark) => (mark.kind === "failed" ? mark.reason : [])));
    // A retry finds the record that the failed attempt wrote, once the log could be truncated.
    reasons.delete("another revision");
    expect(reasons).toEqual(new Set(["unavailable"]));
    const { acknowledged } = expectationOf(marks);
    expect([...acknowledged.keys()].filter((key) => key.includes("/outage"))).toEqual([]);
    expect([...acknowledged.keys()].filter((key) => key.includes("/recovered"))).not.toEqual([]);
    await surviveAll(operations, { cuts: runs(30) });
  });

  it("failed flushes of the database file in checkpoints lose nothing, and change no answer of the commits", async () => {
    const { operations } = await record({
      module,
      processes: [["open-small", "vaults", "fail 1-3 platform.db", "run-kept a 12", "fail", "run-kept b 12", "close"]],
    });
    const failed = operations.filter((each) => each.kind === "flush" && each.failed);
    expect(failed).toHaveLength(3);
    await surviveAll(operations, { cuts: runs(30) });
  });
});
