import { readdirSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { setup, teardown } from "./temporary-folders.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("tests start with an empty home", () => {
  expect(readdirSync(homedir())).toEqual([]);
});

it("a run fails when a test leaves a file in its home or its temporary folder", () => {
  for (const name of ["HOME", "TMPDIR", "MEMORY_TMPDIR", "XDG_CACHE_HOME", "NODE_COMPILE_CACHE"])
    vi.stubEnv(name, process.env[name]);
  setup();
  for (const folder of [homedir(), tmpdir()]) writeFileSync(join(folder, "left"), "");
  expect(teardown).toThrow(/home\/left\n.*tmp\/left$/);
});
