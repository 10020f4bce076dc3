import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSqliteStorage } from "../../src/storage/sqlite/create-sqlite-storage.js";
import { createMemoryFolder } from "../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef } from "../../src/testing/storage-suite/fixture.js";
import { type CrashState, createCrashStates } from "./crash-states.js";
import { record, writeFiles } from "./record.js";
import { shimSupport } from "./shim.js";
import { powerCuts, runs } from "./simulate-power-cuts.js";

/** Opens the database and the backup that a power cut left, and returns their versions of the item and its contents. */
async function open({ files }: CrashState): Promise<{ database: string; backup: string }> {
  const folder = createMemoryFolder();
  try {
    writeFiles(folder, files);
    const itemIn = async (name: string) => {
      const storage = createSqliteStorage({ path: join(folder, name) });
      await storage.check();
      const item = await createFixture(storage).find(itemRef("item-1"));
      await storage.close();
      return `${item?.version} ${item?.encryptedPayload.ciphertext}`;
    };
    const size = files.get("backup")?.length ?? 0;
    return { database: await itemIn("platform.db"), backup: size === 0 ? "none" : await itemIn("backup") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What may be there after each step of the child was acknowledged. The next step may have been completed as well. */
const allowed: Record<string, { readonly database: readonly string[]; readonly backup: readonly string[] }> = {
  stored: { database: ["1 first"], backup: ["none", "1 first"] },
  "backed up": { database: ["1 first", "2 second"], backup: ["1 first"] },
  // A restored item has a version above all that may have been assigned.
  changed: { database: ["2 second", "4 first"], backup: ["1 first"] },
  restored: { database: ["4 first"], backup: ["1 first"] },
};

describe.skipIf(shimSupport.skip)(
  `power cuts during a backup and a restore, simulated from ${shimSupport.title}`,
  () => {
    it("leave complete databases: the old or the restored one, and every acknowledged backup", async () => {
      const { operations } = await record({ module: "backup-child.ts", processes: [["back up"], ["restore"]] });
      const states = createCrashStates(operations);
      const from = 1 + operations.findIndex(({ kind }) => kind === "mark");
      const isAllowed = fc.asyncProperty(powerCuts(operations, from), async (cut) => {
        const state = states(cut);
        const { database, backup } = await open(state);
        const expected = allowed[state.marks.at(-1) ?? ""];
        expect(expected?.database).toContain(database);
        expect(expected?.backup).toContain(backup);
      });
      await fc.assert(isAllowed, { numRuns: runs(40) });
    });
  },
);
