import { expect, it, onTestFinished, vi } from "vitest";
import { watchWorker } from "./leftovers.ts";

const listener = () => {};

it.each<[string, () => void, () => void]>([
  ["process.env.LEFT", () => vi.stubEnv("LEFT", "1"), () => vi.unstubAllEnvs()],
  ["globalThis.fetch", () => vi.stubGlobal("fetch", listener), () => vi.unstubAllGlobals()],
  ["globalThis.left", () => vi.stubGlobal("left", 1), () => vi.unstubAllGlobals()],
  ["process.on(SIGUSR2)", () => process.on("SIGUSR2", listener), () => process.off("SIGUSR2", listener)],
  ["vi.useFakeTimers()", () => vi.useFakeTimers(), () => vi.useRealTimers()],
])("a file that leaves %s changed is reported", (name, change, restore) => {
  const changes = watchWorker();
  onTestFinished(restore);
  change();
  expect(changes()).toContain(name);
  restore();
  expect(changes()).toEqual([]);
});
