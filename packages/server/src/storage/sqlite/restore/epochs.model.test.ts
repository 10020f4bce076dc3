import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item, ItemChange } from "../../../domain/model/item.js";
import { listChanges } from "../../../services/items.js";
import { createFixture, itemRef, tenantId } from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { createMemoryFolder } from "../testing/temporary-path.js";
import { restoreSqliteBackup } from "./restore-backup.js";

const action = fc.record({
  verb: fc.constantFrom("put", "put", "put", "remove", "restore", "pull", "vault"),
  vault: fc.constantFrom("vault-1", "vault-2"),
  item: fc.constantFrom("item-1", "item-2", "item-3"),
});
const history = fc.array(action, { maxLength: 12 });

/** Histories, each followed by a restore of an earlier backup. */
const histories = fc.array(
  fc.record({ before: history, after: history, from: fc.nat(9), replacedIsLost: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

/** A client of one vault: its cursor and items. */
interface Client {
  cursor: number;
  items: Map<string, string>;
}

const format = ({ itemId, version, state, encryptedPayload }: Item | ItemChange): string =>
  `${itemId} v${version} ${state} ${encryptedPayload.ciphertext}`;

/** Creates a platform that is restored sometimes, and records everything its clients received. */
function createModel(folder: string) {
  const path = join(folder, "platform.db");
  let storage = createSqliteStorage({ path });
  let fixture = createFixture(storage);
  /** The content for which a sequence of a vault or a version of an item was first assigned. */
  const assigned = new Map<string, string>();
  const backups: string[] = [];
  /** Whether a database was lost, and with it what it had assigned after its last backup. */
  let lost = false;
  let time = Date.UTC(2026, 0, 1);

  const assign = (number: string, what: string) => {
    expect(`${number}: ${assigned.get(number) ?? what}`).toBe(`${number}: ${what}`);
    assigned.set(number, what);
  };
  const take = (vaultId: string, item: Item | ItemChange, sequence: number) => {
    assign(`${vaultId} #${sequence}`, format(item));
    assign(`${vaultId} ${item.itemId} v${item.version}`, format(item));
  };

  return {
    async do({ verb, vault, item }: { verb: string; vault: string; item: string }): Promise<void> {
      if (verb === "vault") return fixture.createVault(vault);
      const ref = itemRef(item, vault);
      const found = await fixture.find(ref);
      const version = found?.version ?? 0;
      // Unique content, so that a number assigned twice is found by its different contents.
      const mark = verb === "put" ? randomUUID() : "";
      const changed = await (verb === "put"
        ? fixture.put(ref, mark, version)
        : verb === "remove"
          ? fixture.remove(ref, version)
          : fixture.restore(ref, version));
      if (changed.outcome.ok && changed.sequence !== undefined) take(vault, changed.outcome.item, changed.sequence);
    },

    /** Pulls from the cursor, or from the start when it is ahead, and expects the client to have the vault's items. */
    async pull(vaultId: string, client: Client): Promise<void> {
      const pull = (afterSequence: number) => listChanges(storage, { tenantId, vaultId, afterSequence, limit: 500 });
      let page = await pull(client.cursor);
      if (!page.ok && page.reason === "CURSOR_AHEAD") {
        client.items.clear();
        page = await pull(0);
      }
      if (!page.ok) return;
      for (const item of page.items) {
        take(vaultId, item, item.sequence);
        client.items.set(item.itemId, format(item));
      }
      client.cursor = page.sequence;
      const all = await pull(0);
      expect([...client.items.values()].sort()).toEqual(all.ok ? all.items.map(format).sort() : []);
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
      lost ||= replacedIsLost;
      // This gap is too small by itself. It suffices if the replaced database contains all that was assigned.
      restoreSqliteBackup({ backup, path, now: time, ...(lost ? {} : { gap: 1 }) });
      storage = createSqliteStorage({ path });
      fixture = createFixture(storage);
    },

    close: () => storage.close(),
  };
}

describe("model: clients of a platform that is restored from backups", () => {
  it("no sequence or version is assigned to two contents, and every client converges to the vault", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (epochs) => {
        const folder = createMemoryFolder();
        const platform = createModel(folder);
        const clients = new Map(["vault-1", "vault-2"].map((vault) => [vault, [0, 1].map(newClient)]));
        const act = async (actions: readonly { verb: string; vault: string; item: string }[]) => {
          for (const each of actions) {
            // One client of each vault pulls sometimes; the other only after restores.
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
