import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withFileLock } from "@platform-rpc/files";
import { describe, expect, it } from "vitest";
import { temporaryPath } from "../../src/storage/sqlite/testing/temporary-path.js";
import { createFileKeyStore } from "../../src/tokens/file-key-store.js";
import { publishedAhead, signingPeriod } from "../../src/tokens/key-rotation.js";
import { startChild } from "../storage/sqlite/testing/child-process.js";

/** Returns the path of a key file in a new folder. */
async function newKeyFile(): Promise<string> {
  const folder = temporaryPath();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, "keys.json");
}

/** Returns the temporary files of a key file. */
async function temporaries(path: string): Promise<string[]> {
  return (await readdir(dirname(path))).filter((name) => /^keys\.json\.[0-9a-f]{16}\.tmp$/.test(name));
}

describe("DECISIONS section 5: a key file that several processes share", () => {
  it("gets one set of keys when processes start together, and one next key when they rotate together", async () => {
    const path = await newKeyFile();
    const [open, rotate] = [`${path}.open`, `${path}.rotate`];
    const due = 1_790_000_000_000 + signingPeriod - publishedAhead;
    const module = new URL("./testing/key-ring-child.ts", import.meta.url).href;
    const children = Array.from({ length: 4 }, () => startChild(module, path, open, rotate, `${due}`));
    await Promise.all(children.map((child) => child.said("ready")));
    await writeFile(open, "");
    await Promise.all(children.map((child) => child.said("]]\n")));
    await writeFile(rotate, "");
    await Promise.all(children.map((child) => child.ended()));
    const printed = children.map((child) =>
      child
        .output()
        .trim()
        .split("\n")
        .slice(1)
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

  // The process is stopped between writing the temporary file and the rename, or the link that creates the file.
  it.each(["created", "replaced"])(
    "keeps the temporary file of a process while it is being %s, and not after the process was killed",
    async (change) => {
      const path = await newKeyFile();
      const keys = { version: 1, hmacKey: Buffer.alloc(32, 7).toString("base64url"), keys: [] } as const;
      if (change === "replaced") await createFileKeyStore(path).save(keys, undefined);
      const child = startChild(new URL("./testing/paused-save-child.ts", import.meta.url).href, path);
      await child.said("written");
      const loading = createFileKeyStore(path).load();
      // The load has looked at the folder, and now waits for the lock.
      for (let tries = 0; tries < 20; tries += 1) await withFileLock(`${path}.other`, async () => {});
      expect(await temporaries(path)).toHaveLength(1);
      await child.kill();
      expect(await temporaries(path)).toHaveLength(1);
      // Instead of waiting until the lock of the killed process is stale.
      await rm(`${path}.lock`);
      expect(await loading).toEqual(change === "replaced" ? keys : undefined);
      expect(await temporaries(path)).toEqual([]);
    },
  );
});
