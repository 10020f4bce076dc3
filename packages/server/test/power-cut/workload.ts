import { putRecord } from "../../src/domain/put-record.js";
import { refOf, type Storage, StorageError } from "../../src/ports/storage.js";
import { actor, createFixture, itemRef, principalId, tenantId } from "../../src/testing/storage-suite/fixture.js";
import type { Effect, Mark } from "./model.js";

/** Tombstones of this vault can be restored for 30 days. Then they are shredded. */
export const kept = "kept";
/** The deletion of an item of this vault shreds it. */
const erased = "erased";

/** The collection of the workload's records. */
export const recordCollection = "power-cut";

const month = 31 * 24 * 60 * 60 * 1000;

/** The largest number of attempts of a call. */
const attempts = 3;

interface Answer {
  /** Why the call was rejected; undefined when it was not. */
  readonly rejected?: string | undefined;
  readonly sequence?: number | undefined;
}

/** Returns text that only the content of this item contains, so that it can be found in a file. */
export function traceOf(item: string): string {
  return `<${item}/`;
}

/** Creates functions that call storages, and mark every call when it begins and when it is acknowledged or fails. */
export function createWorkload(mark: (mark: Mark) => void) {
  let calls = 0;

  /** Makes a call, and retries it if it fails. Returns whether it was acknowledged. */
  const call = async (effect: Effect, make: () => Promise<Answer>): Promise<boolean> => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      calls += 1;
      const id = calls;
      mark({ kind: "begun", call: id, effect });
      try {
        const { rejected, sequence } = await make();
        if (rejected === undefined) {
          mark({ kind: "acknowledged", call: id, sequence });
          return true;
        }
        // The retry may be rejected because the failed attempt took effect.
        if (attempt === 1) throw new Error(`call ${id} was rejected: ${rejected}`);
        mark({ kind: "failed", call: id, reason: rejected });
        return false;
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        mark({ kind: "failed", call: id, reason: error.reason });
      }
    }
    return false;
  };

  /** Reads everything again and again, and marks what is new, until `done` returns true. */
  const readOn = async (storage: Storage, vaults: readonly string[], done: () => boolean): Promise<void> => {
    const known = new Set<string>();
    const isNew = (read: unknown) => known.size < known.add(JSON.stringify(read)).size;
    const query = { collection: recordCollection, tenantId, principalId, limit: 10_000 };
    while (!done()) {
      const reads = vaults.map((vaultId) =>
        storage.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 10_000 }),
      );
      const [pages, listed] = await Promise.all([Promise.all(reads), storage.listRecords(query)]);
      const items = pages
        .flatMap((page) => page.items)
        .map(({ vaultId, itemId, version, sequence }) => {
          return { vaultId, itemId, version, sequence };
        });
      const records = listed.map(({ key, revision }) => ({ key, revision }));
      const read = { items: items.filter(isNew), records: records.filter(isNew) };
      if (read.items.length + read.records.length > 0) mark({ kind: "read", ...read });
    }
  };

  return {
    async createVaults(storage: Storage): Promise<void> {
      const { createVault } = createFixture(storage);
      const create = (vaultId: string, days: number) =>
        call({ kind: "vault", vaultId }, async () => {
          await createVault(vaultId, days);
          return {};
        });
      await Promise.all([create(kept, 30), create(erased, 0)]);
    },

    /**
     * Creates, replaces, deletes, restores and shreds `width` items of each vault at a time, and writes `width` records. Their ids
     * begin with `round`.
     *
     * @param vaults without `erased`, nothing is shredded until the end. Default: both.
     */
    async run(
      storage: Storage,
      round: string,
      width: number,
      vaults: readonly string[] = [kept, erased],
    ): Promise<void> {
      const { clock, put, remove, restore, shred } = createFixture(storage);

      const live = async (vaultId: string, index: number): Promise<void> => {
        const ref = itemRef(`${round}-${index}`, vaultId);
        let version = 0;
        let content = "";
        const change = (
          state: string,
          make: (base: number) => ReturnType<typeof put | typeof remove | typeof restore>,
        ) => {
          const effect: Effect = { kind: "change", vaultId, itemId: ref.itemId, version: version + 1, state, content };
          return call(effect, async () => {
            const { outcome, sequence } = await make(version);
            return { rejected: outcome.ok ? undefined : outcome.reason, sequence };
          });
        };
        const replace = () => {
          const mark = `${traceOf(`${vaultId}/${ref.itemId}`)}v${version + 1}>`;
          // From contents that fit into a page with others, to chains of pages.
          content = mark.repeat(1 + ((index * 7 + version * 5) % 11) ** 2);
          return change("live", (base) => put(ref, content, base));
        };
        const tombstone = vaultId === kept ? "deleted" : "shredded";
        const steps = [replace, replace, () => change(tombstone, (base) => remove(ref, base))];
        if (vaultId === kept && index % 2 === 1)
          steps.push(() => change("live", (base) => restore(ref, base)), replace);
        for (const step of steps) {
          if (!(await step())) return;
          version += 1;
        }
      };

      const writeRecord = async (index: number): Promise<void> => {
        const key = `${round}-${index}`;
        for (let revision = 1; revision <= 3; revision += 1) {
          const value = JSON.stringify(key.repeat(1 + ((index * 5 + revision * 7) % 11) ** 2));
          const owner = { tenantId, principalId, oauthClientId: "", createdAt: 0, expiresAt: undefined };
          const record = { collection: recordCollection, key, value, ...owner };
          const rule = putRecord({ record, expectedRevision: revision - 1 }, actor, clock.now());
          const written = await call({ kind: "record", key, revision, value }, async () => {
            const { outcome } = await storage.transact(refOf(record), rule);
            return { rejected: outcome.ok ? undefined : "another revision" };
          });
          if (!written) return;
        }
      };

      const indexes = Array.from({ length: width }, (_, index) => index);
      let written = false;
      // It ends when the thread of the storage does.
      const reading = readOn(storage, vaults, () => written).catch(() => {});
      await Promise.all([
        ...vaults.flatMap((vaultId) => indexes.map((index) => live(vaultId, index))),
        ...indexes.map(writeRecord),
      ]);
      await storage.sealAudit(width).catch(() => {});
      clock.advance(month);
      const due = await storage.listShreddable(clock.now(), width).catch(() => []);
      const shreds = due.map((ref) =>
        call({ kind: "shred", vaultId: ref.vaultId, itemId: ref.itemId }, async () => {
          await shred(ref);
          return {};
        }),
      );
      await Promise.all([...shreds, live(kept, width)]);
      written = true;
      await reading;
    },
  };
}
