import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { onStopSignals, stopSignals } from "./stop-signals.js";

function listening() {
  const source = new EventEmitter();
  const seen: string[] = [];
  let time = 0;
  onStopSignals(source, { stop: (signal) => seen.push(signal), endNow: () => seen.push("end") }, () => time);
  return {
    seen,
    send(signal: NodeJS.Signals, afterMs: number) {
      time += afterMs;
      source.emit(signal, signal);
    },
  };
}

describe("stop signals", () => {
  it.each(stopSignals)("%s starts a stop", (signal) => {
    const { seen, send } = listening();
    send(signal, 0);
    expect(seen).toEqual([signal]);
  });

  it("within 2 s count as one signal: a terminal signals the process group, and pnpm signals again", () => {
    const { seen, send } = listening();
    send("SIGINT", 0);
    send("SIGINT", 50);
    send("SIGTERM", 1_949);
    expect(seen).toEqual(["SIGINT"]);
  });

  it("end the process at once when one arrives later", () => {
    const { seen, send } = listening();
    send("SIGTERM", 0);
    send("SIGINT", 2_000);
    expect(seen).toEqual(["SIGTERM", "end"]);
  });
});
