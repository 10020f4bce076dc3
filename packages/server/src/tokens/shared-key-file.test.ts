import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fakeClock } from "@platform-rpc/fixtures";
import { describe, expect, it } from "vitest";
import { startChild } from "../storage/sqlite/testing/child-process.js";
import { temporaryPath } from "../storage/sqlite/testing/temporary-path.js";
import { createFileKeyStore } from "./file-key-store.js";
import { createKeyRing } from "./key-ring.js";
import { publishedAhead, signingPeriod } from "./key-rotation.js";
import { withFileLock } from "./with-file-lock.js";

/** Returns the path of a key file in a new folder. */
async function newKeyFile(): Promise<string> {
  const folder = temporaryPath();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, "keys.json");
}

describe("DECISIONS section 5: a key file that several processes share", () => {
  it("gets one set of keys when many key rings open it at the same moment", async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newKeyFile();
      const open = () => createKeyRing({ store: createFileKeyStore(path), clock: fakeClock() });
      const rings = await Promise.all(Array.from({ length: 20 }, open));
      const keys = rings.map((ring) => JSON.stringify([[...ring.hmacKey], ring.jwks()]));
      expect(new Set(keys).size).toBe(1);
      expect(await readdir(dirname(path))).toEqual(["keys.json"]);
    }
  });

  it("gets one set of keys when processes start together, and one next key when they rotate together", async () => {
    const path = await newKeyFile();
    const openAt = Date.now() + 2000;
    const due = 1_790_000_000_000 + signingPeriod - publishedAhead;
    const times = [openAt, openAt + 1000, due].map(String);
    const module = new URL("./testing/key-ring-child.ts", import.meta.url).href;
    const children = Array.from({ length: 4 }, () => startChild(module, path, ...times));
    await Promise.all(children.map((child) => child.ended()));
    const printed = children.map((child) =>
      child
        .output()
        .trim()
        .split("\n")
        .map((line): [string, unknown[]] => JSON.parse(line)),
    );
    expect(printed).toEqual(printed.map(() => printed[0]));
    expect(printed[0]?.map(([, keys]) => keys.length)).toEqual([1, 2]);
  });

  it("is replaced again after a process was killed while it replaced the file", async () => {
    const path = await newKeyFile();
    await writeFile(`${path}.lock`, "");
    await utimes(`${path}.lock`, 1, 1);
    expect(await withFileLock(path, async () => "done", 50)).toBe("done");
    expect(await readdir(dirname(path))).toEqual([]);
  });
});
