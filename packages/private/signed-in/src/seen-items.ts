import { createHash, randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type MemoryStore, mergeSeen, type SeenItems } from "@platform-rpc/items/vault/memory";
import * as z from "zod";
import { ProgramError } from "./errors.js";
import { prepareFolder, readSecretFile, removeSecretFile, writeSecretFile } from "./private-files.js";

const seenItem = z.object({ version: z.number(), hash: z.string(), deleted: z.number() });
const seenItems = z.array(z.tuple([z.string(), seenItem]));

/**
 * Returns where this computer keeps what it has seen of a vault: a folder of files, which are read together. A program that adds something
 * writes a new file with everything, and removes those that it has read. So two programs at once need no lock, and lose nothing.
 *
 * @param vault the names of the server, the tenant, the account and the vault
 */
export function seenItemsIn(folder: string, vault: readonly string[]): MemoryStore {
  const name = createHash("sha256").update(JSON.stringify(vault)).digest("hex").slice(0, 32);
  const own = join(folder, "seen-items", name);
  async function read(): Promise<{ readonly paths: readonly string[]; readonly seen: SeenItems }> {
    await prepareFolder(own);
    const paths = (await readdir(own)).filter((file) => file.endsWith(".json")).map((file) => join(own, file));
    let seen: SeenItems = new Map();
    for (const path of paths) {
      const stored = await readSecretFile(path);
      // Another program has just replaced it.
      if (stored === undefined) return read();
      const { data } = seenItems.safeParse(stored);
      if (data === undefined) throw new ProgramError(`${path} is damaged. Restore it, or remove it to start anew.`);
      seen = mergeSeen(seen, new Map(data));
    }
    return { paths, seen };
  }
  return {
    read: async () => (await read()).seen,
    async write(added) {
      const { paths, seen } = await read();
      await writeSecretFile(join(own, `${randomUUID()}.json`), [...mergeSeen(seen, added)]);
      await Promise.all(paths.map(removeSecretFile));
    },
  };
}
