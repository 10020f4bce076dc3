import { rmSync } from "node:fs";
import fc from "fast-check";
import { bindKeys, boundKeys } from "../../../../../src/domain/bound-keys.js";
import { lastReading, readClock } from "../../../../../src/domain/clock-agreement.js";
import { revokeToken } from "../../../../../src/domain/manage-access.js";
import { installation } from "../../../../../src/domain/model/collection.js";
import { keyOfGrantPlace } from "../../../../../src/domain/model/grant.js";
import type { Storage } from "../../../../../src/ports/storage.js";
import { refOf } from "../../../../../src/ports/storage.js";
import { createSqliteStorage } from "../../../../../src/storage/sqlite/create-sqlite-storage.js";
import { restoreSqliteBackup } from "../../../../../src/storage/sqlite/restore/restore-backup.js";
import { createDeviceFixture, resultOf } from "../../../../../src/testing/storage-suite/device-fixture.js";
import { actor, auditOf, createFixture, itemRef, tenantId } from "../../../../../src/testing/storage-suite/fixture.js";
import { get as getRecord, put as putRecord, recordOf } from "../../../../../src/testing/storage-suite/records.js";

/** The id of the keys that every source of these tests was used with. */
export const keysId = "0123456789abcdef";

const verbs = [
  ...["put", "put", "put", "put", "remove", "remove", "restore", "shred", "vault", "member"],
  ...[
    "start",
    "start",
    "approve",
    "deny",
    "exchange",
    "exchange",
    "steal",
    "login",
    "login",
    "revoke",
    "client",
    "principal",
    "record",
    "record",
    "wait",
  ],
] as const;

/** A call of any kind. */
const call = fc.record({
  verb: fc.constantFrom(...verbs),
  vault: fc.constantFrom("vault-1", "vault-2", "völt"),
  item: fc.constantFrom("item-1", "item-2", "item-3", "ítem 4"),
  code: fc.constantFrom("code-1", "code-2", "code-3"),
  mark: fc.string({ unit: "grapheme", maxLength: 40 }),
  base: fc.constantFrom(0, 0, -1),
});

export const calls = fc.array(call, { minLength: 20, maxLength: 40 });

export type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Returns many calls, the same for each seed. */
export function richCalls(seed: number): readonly Call[] {
  return fc.sample(call, { seed, numRuns: 200 });
}

/** Makes calls through the rules. Returns their outcomes. */
export function createCaller(storage: Storage, series: string) {
  const fixture = createFixture(storage);
  const device = createDeviceFixture(storage, fixture.clock, series);

  let started = 0;
  const newest = new Map<string, string>();

  /** Device codes are random, so none is started twice. */
  const newCode = (code: string): string => {
    started += 1;
    newest.set(code, `${code}-${series}${started}`);
    return codeOf(code);
  };
  /** The newest device code of this caller, or one of the caller that created the source. */
  const codeOf = (code: string): string => newest.get(code) ?? `${code}-b1`;

  const make = async ({ verb, vault, item, code, mark, base }: Call): Promise<unknown> => {
    const ref = itemRef(item, vault);
    const version = Math.max(0, ((await fixture.find(ref))?.version ?? 0) + base);
    switch (verb) {
      case "put":
        return fixture.put(ref, mark, version);
      case "remove":
        return fixture.remove(ref, version);
      case "restore":
        return fixture.restore(ref, version);
      case "shred":
        fixture.clock.advance(31 * 24 * 60 * 60 * 1000);
        return fixture.shred(ref);
      case "vault":
        return fixture.createVault(vault, 1 + mark.length);
      case "member":
        return fixture
          .write({
            kind: "member",
            tenantId,
            vaultId: vault,
            principalId: item,
            role: base === 0 ? "member" : undefined,
          })
          .catch(() => "no vault");
      case "start":
        return device.start(newCode(code), `user-${code}`);
      case "approve":
        return device.answer(`user-${code}`);
      case "deny":
        return device.answer(`user-${code}`, "deny");
      case "exchange":
        return resultOf(await device.exchange(codeOf(code), { key: base === 0 ? "key" : undefined }));
      case "steal":
        return resultOf(await device.exchange(codeOf(code), { caller: "thief" }));
      case "login":
        await device.start(newCode(code), `user-${code}`);
        await device.answer(`user-${code}`);
        return resultOf(await device.exchange(codeOf(code)));
      case "revoke":
        return storage.transact(refOf(keyOfGrantPlace(mark)), revokeToken(mark, actor, fixture.clock.now()));
      case "client":
        return device.setUp();
      case "principal":
        return device.setApproverActive(base === 0);
      case "record": {
        const [principalId = "", oauthClientId = ""] = base === 0 ? [item, code] : [];
        const expiresAt = base === 0 ? fixture.clock.now() + mark.length * 100 : undefined;
        const value = JSON.stringify({ mark });
        const record = recordOf(`${item}/${code}`, { collection: vault, principalId, oauthClientId, value, expiresAt });
        const current = await getRecord(storage, record.key, fixture.clock.now(), vault);
        return putRecord(storage, record, current?.revision ?? 0, fixture.clock.now());
      }
      case "wait":
        return fixture.clock.advance(1000 * mark.length);
    }
  };

  return {
    clock: fixture.clock,
    async makeAll(all: readonly Call[]): Promise<unknown[]> {
      const outcomes: unknown[] = [];
      for (const call of all) outcomes.push(await make(call));
      return outcomes;
    },
    async setUp(): Promise<void> {
      await fixture.createVault();
      await device.setUp();
      const now = fixture.clock.now();
      await storage.transact(refOf(lastReading), readClock({ runId: "run", wall: now, monotonic: 12.345678901234567 }));
      await storage.transact(
        refOf(boundKeys.key(installation, installation)),
        bindKeys({ keysId, replace: undefined }, now),
      );
      await fixture.write(auditOf({ at: now }));
    },
  };
}

/** Creates a database in which calls were made, with a restore of a backup between them if `restored`. */
export async function createSource(path: string, all: readonly Call[], restored: boolean): Promise<void> {
  let storage = createSqliteStorage({ path });
  await createCaller(storage, "a").setUp();
  const half = Math.floor(all.length / 2);
  await createCaller(storage, "b").makeAll(all.slice(0, half));
  if (restored) {
    const backup = `${path}.backup`;
    await storage.backUp(backup);
    await storage.close();
    restoreSqliteBackup({ backup, path, now: Date.UTC(2026, 0, 1), gap: 1000 });
    rmSync(backup);
    storage = createSqliteStorage({ path });
  }
  // The newest audit records are not sealed yet.
  await storage.sealAudit(1000);
  await createCaller(storage, "c").makeAll(all.slice(half));
  await storage.close();
}
