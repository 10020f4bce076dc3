import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item, ItemChange } from "../../../domain/item.js";
import { createListChanges } from "../../../operations/list-changes.js";
import { createFixture, itemRef, tenantId } from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { restoreSqliteBackup } from "./restore-backup.js";

/** What a client does, and how far it is behind when it names a base version. */
const action = fc.record({
  verb: fc.constantFrom("put", "put", "put", "remove", "restore", "pull", "vault"),
  vault: fc.constantFrom("vault-1", "vault-2"),
  item: fc.constantFrom("item-1", "item-2", "item-3"),
});
const history = fc.array(action, { maxLength: 12 });

/** A life: histories, each of which is followed by a restore of one of the backups that were made before it. */
const life = fc.array(fc.record({ before: history, after: history, from: fc.nat(9), replacedIsLost: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

/** A client of one vault: what it has, and up to where. */
interface Client {
  cursor: number;
  items: Map<string, string>;
}

const shown = ({ itemId, version, state, encryptedPayload }: Item | ItemChange): string =>
  `${itemId} v${version} ${state} ${encryptedPayload.ciphertext}`;

/** A platform that is restored now and then, and clients that keep everything they were ever given. */
function createModel(folder: string) {
  const path = join(folder, "platform.db");
  let storage = createSqliteStorage({ path });
  let fixture = createFixture(storage);
  /** What a sequence of a vault, or a version of an item, was first given out for. */
  const givenOut = new Map<string, string>();
  const backups: string[] = [];
  let time = Date.UTC(2026, 0, 1);

  const give = (number: string, what: string) => {
    expect(`${number}: ${givenOut.get(number) ?? what}`).toBe(`${number}: ${what}`);
    givenOut.set(number, what);
  };
  const take = (vaultId: string, item: Item | ItemChange, sequence: number) => {
    give(`${vaultId} #${sequence}`, shown(item));
    give(`${vaultId} ${item.itemId} v${item.version}`, shown(item));
  };

  return {
    async do({ verb, vault, item }: { verb: string; vault: string; item: string }): Promise<void> {
      if (verb === "vault") return fixture.createVault(vault);
      const ref = itemRef(item, vault);
      const found = await fixture.find(ref);
      const version = found?.version ?? 0;
      // Content that no other change has: a number that is given out twice is given out for two contents.
      const mark = verb === "put" ? randomUUID() : "";
      const changed = await (verb === "put"
        ? fixture.put(ref, mark, version)
        : verb === "remove"
          ? fixture.remove(ref, version)
          : fixture.restore(ref, version));
      if (changed.outcome.ok && changed.sequence !== undefined) take(vault, changed.outcome.item, changed.sequence);
    },

    /** Pulls as clients do: on from the cursor, or all over again when it is ahead. Then the client has what the vault has. */
    async pull(vaultId: string, client: Client): Promise<void> {
      const list = createListChanges({ storage });
      const pull = (afterSequence: number) => list({ tenantId, vaultId, afterSequence, limit: 500 });
      let page = await pull(client.cursor);
      if (!page.ok && page.reason === "CURSOR_AHEAD") {
        client.items.clear();
        page = await pull(0);
      }
      if (!page.ok) return;
      for (const item of page.items) {
        take(vaultId, item, item.sequence);
        client.items.set(item.itemId, shown(item));
      }
      client.cursor = page.sequence;
      const all = await pull(0);
      expect([...client.items.values()].sort()).toEqual(all.ok ? all.items.map(shown).sort() : []);
    },

    async backUp(): Promise<void> {
      const backup = join(folder, `backup-${backups.length}`);
      await storage.backUp(backup);
      backups.push(backup);
    },

    async restore(from: number, replacedIsLost: boolean): Promise<void> {
      await storage.close();
      if (replacedIsLost) rmSync(path);
      time += 60 * 60 * 1000;
      const backup = backups[from % backups.length] ?? "";
      // A gap that is too small on its own, unless nothing else is known.
      restoreSqliteBackup({ backup, path, now: time, ...(replacedIsLost ? {} : { gap: 1 }) });
      storage = createSqliteStorage({ path });
      fixture = createFixture(storage);
    },

    close: () => storage.close(),
  };
}

describe("model: clients of a platform that is restored from backups", () => {
  it("no sequence and no version is given out twice for different contents, and every client comes to what the vault has", async () => {
    await fc.assert(
      fc.asyncProperty(life, async (epochs) => {
        const folder = mkdtempSync(join(tmpdir(), "platform-epochs-"));
        const platform = createModel(folder);
        const clients = new Map(["vault-1", "vault-2"].map((vault) => [vault, [0, 1].map(newClient)]));
        const act = async (actions: readonly { verb: string; vault: string; item: string }[]) => {
          for (const each of actions) {
            // One client of each vault pulls now and then; the other only after restores.
            const [client] = clients.get(each.vault) ?? [];
            if (each.verb === "pull" && client !== undefined) await platform.pull(each.vault, client);
            else if (each.verb !== "pull") await platform.do(each);
          }
        };
        try {
          for (const { before, after, from, replacedIsLost } of epochs) {
            await act([{ verb: "vault", vault: "vault-1", item: "" }, ...before]);
            await platform.backUp();
            await act(after);
            await platform.restore(from, replacedIsLost);
            for (const [vault, all] of clients) for (const client of all) await platform.pull(vault, client);
          }
        } finally {
          await platform.close();
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});

function newClient(): Client {
  return { cursor: 0, items: new Map() };
}
