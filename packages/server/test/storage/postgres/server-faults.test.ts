import { describe, expect, it, onTestFinished, vi } from "vitest";
import { refOf } from "../../../src/ports/storage.js";
import type { PostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { itemRef, revocationOf } from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../src/testing/storage-suite/rules.js";
import {
  endSessions,
  holdLock,
  lockAwaited,
  openFaultyStorage,
  terminate,
  unavailable,
} from "./testing/faulty-storage.js";

describe("an administrator who ends the sessions", () => {
  it("while they are idle: the next call is not affected", async () => {
    const { url, fixture } = await openFaultyStorage();
    await terminate(url);
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
  });

  it("while they load: the load is repeated", async () => {
    const { url, fixture, sequences } = await openFaultyStorage();
    const release = await holdLock(url, "LOCK TABLE items");
    const removed = fixture.remove(itemRef("item-1"), 1);
    await lockAwaited(url);
    await terminate(url, "wait_event_type = 'Lock'");
    await release();
    expect(await removed).toMatchObject({ sequence: 2 });
    expect(await sequences()).toEqual([1, 2]);
  });

  it("while they commit: the call is unavailable, and repeating it succeeds", async () => {
    const { url, fixture, sequences } = await openFaultyStorage();
    const release = await holdLock(url, "SELECT FROM vaults FOR UPDATE");
    const removed = fixture.remove(itemRef("item-1"), 1);
    const failed = expect(removed).rejects.toMatchObject({ ...unavailable, cause: { code: "57P01" } });
    await lockAwaited(url);
    await terminate(url, "wait_event_type = 'Lock'");
    await failed;
    await release();
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
    expect(await sequences()).toEqual([1, 2]);
  });
});

describe("a vault that another session has locked", () => {
  it.each([
    [
      "lock timeout",
      "55P03",
      (url: string) => runSql(url, "ALTER FUNCTION platform_commit SET lock_timeout = '300ms'"),
    ],
    [
      "statement timeout",
      "57014",
      async (url: string, storage: PostgresStorage) => {
        await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET statement_timeout = '300ms'`);
        await endSessions(url, storage);
      },
    ],
  ])("%s: its calls are unavailable, and the others of the batch are committed", async (_, code, limit) => {
    const { url, storage, fixture, sequences } = await openFaultyStorage();
    await fixture.createVault("vault-2");
    await limit(url, storage);
    const release = await holdLock(url, "SELECT FROM vaults WHERE vault_id = 'vault-1' FOR UPDATE");
    const [blocked, other] = await Promise.allSettled([
      fixture.remove(itemRef("item-1"), 1),
      fixture.put(itemRef("item-1", "vault-2"), "a", 0),
    ]);
    expect(blocked).toMatchObject({ status: "rejected", reason: { ...unavailable, cause: { code } } });
    expect(other).toMatchObject({ status: "fulfilled", value: { sequence: 1 } });
    await release();
    expect(await sequences()).toEqual([1]);
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
  });
});

describe("an error of the database while it writes or commits", () => {
  /** Makes the next changes fail: a sequence counts them, because a rollback does not undo its steps. */
  const failChanges = (url: string, code: string, times: number, when: "write" | "commit") =>
    runSql(
      url,
      `CREATE SEQUENCE injected;
       CREATE FUNCTION inject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.item_id = 'item-1' AND nextval('injected') <= ${times} THEN RAISE EXCEPTION 'injected' USING ERRCODE = '${code}'; END IF;
         RETURN NULL;
       END $$;
       CREATE CONSTRAINT TRIGGER inject AFTER INSERT ON changes
         DEFERRABLE INITIALLY ${when === "commit" ? "DEFERRED" : "IMMEDIATE"} FOR EACH ROW EXECUTE FUNCTION inject()`,
    );
  const phases = ["write", "commit"] as const;

  it.each(phases.flatMap((when) => ["40001", "40P01", "25006"].map((code) => [when, code] as const)))(
    "%s: %s is tried again until it succeeds",
    async (when, code) => {
      const { url, fixture, sequences } = await openFaultyStorage();
      await failChanges(url, code, 3, when);
      expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
      expect(await sequences()).toEqual([1, 2]);
    },
  );

  it.each(phases)("%s: a serialization failure that does not end is unavailable", async (when) => {
    const { url, fixture, sequences } = await openFaultyStorage({ retryFor: 200 });
    await failChanges(url, "40001", 1_000_000, when);
    const failure = { ...unavailable, cause: { code: "40001" } };
    await expect(fixture.remove(itemRef("item-1"), 1)).rejects.toMatchObject(failure);
    expect(await sequences()).toEqual([1]);
  });

  it.each(phases)("%s: 53200 is unavailable for its call, and the others of the batch are committed", async (when) => {
    const { url, fixture } = await openFaultyStorage();
    await fixture.createVault("vault-2");
    await failChanges(url, "53200", 2, when);
    const [failed, other] = await Promise.allSettled([
      fixture.remove(itemRef("item-1"), 1),
      fixture.put(itemRef("item-2", "vault-2"), "a", 0),
    ]);
    expect(failed).toMatchObject({ status: "rejected", reason: { name: "StorageError", reason: "unavailable" } });
    expect(other).toMatchObject({ status: "fulfilled", value: { sequence: 1 } });
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
  });

  it.each(phases)("%s: XX001 is damaged for its call, and the process writes nothing more", async (when) => {
    const { url, fixture, sequences } = await openFaultyStorage();
    await fixture.createVault("vault-2");
    await failChanges(url, "XX001", 2, when);
    const damaged = { name: "StorageError", reason: "damaged" };
    await expect(fixture.remove(itemRef("item-1"), 1)).rejects.toMatchObject(damaged);
    await expect(fixture.put(itemRef("item-2", "vault-2"), "a", 0)).rejects.toMatchObject(damaged);
    expect(await sequences()).toEqual([1]);
  });
});

describe("a full disk", () => {
  /** Makes writes to a table fail, for as long as the sequence is below a number. Returns how often they were tried. */
  const fillDisk = async (url: string, table: string, times: number) => {
    await runSql(
      url,
      `CREATE SEQUENCE tried;
       CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tried') <= ${times} THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END IF;
         RETURN NEW;
       END $$;
       CREATE TRIGGER fill BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fill()`,
    );
    return async () => (await runSql(url, "SELECT last_value::integer AS tries FROM tried")).map(({ tries }) => tries);
  };
  const full = { name: "StorageError", reason: "full" };

  it("fails all calls of a batch at once, and later ones succeed", async () => {
    const { url, fixture, sequences } = await openFaultyStorage();
    await fixture.createVault("vault-2");
    const tried = await fillDisk(url, "changes", 1);
    const results = await Promise.allSettled([
      fixture.remove(itemRef("item-1"), 1),
      fixture.put(itemRef("item-2", "vault-2"), "a", 0),
    ]);
    expect(results).toMatchObject([{ reason: full }, { reason: full }]);
    expect(await tried()).toEqual([1]);
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
    expect(await sequences()).toEqual([1, 2]);
  });

  /** Fakes only the clock by which the storage measures how long no write was refused. */
  const fakeTime = () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
  };

  it("fails the check, which writes a row, until no write was refused for 15 s", async () => {
    const { url, storage } = await openFaultyStorage();
    await fillDisk(url, "leases", 1);
    fakeTime();
    for (const passedMs of [0, 1, 14_998]) {
      vi.advanceTimersByTime(passedMs);
      await expect(storage.check()).rejects.toMatchObject(full);
    }
    vi.advanceTimersByTime(1);
    await storage.check();
  });

  it("fails the check while changes are refused, although the check itself could write", async () => {
    const { url, storage, fixture } = await openFaultyStorage();
    await fillDisk(url, "changes", 3);
    fakeTime();
    const results: unknown[] = [];
    for (let second = 0; second < 30; second += 1) {
      if (second % 5 === 0) await fixture.remove(itemRef("item-1"), 1).catch(() => {});
      results.push(await storage.check().catch(({ reason }) => reason));
      vi.advanceTimersByTime(1000);
    }
    expect(results).toEqual(Array.from({ length: 30 }, (_, second) => (second < 25 ? "full" : undefined)));
  });

  it("fails the check before the last mebibyte is used: the check writes that much to a temporary file", async () => {
    const { url, storage } = await openFaultyStorage();
    const limit = (size: string) =>
      runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET temp_file_limit = '${size}'`);
    await limit("1000kB");
    await endSessions(url, storage);
    // The code says that the limit was exceeded: only the server's operator can fill its disk.
    await expect(storage.check()).rejects.toMatchObject({ cause: { code: "53400" } });
    await limit("2MB");
    await endSessions(url, storage);
    await storage.check();
  });
});

it("a check does not wait for one that cannot commit: it fails, so that checks do not use up the connections", async () => {
  const { url, storage } = await openFaultyStorage();
  await storage.check();
  await runSql(url, "ALTER FUNCTION platform_check SET lock_timeout = '100ms'");
  const release = await holdLock(url, "SELECT FROM leases WHERE name = 'check' FOR UPDATE");
  await expect(storage.check()).rejects.toMatchObject({ ...unavailable, cause: { code: "55P03" } });
  await release();
  await storage.check();
});

describe("a standby", () => {
  /** Makes new sessions read-only, as those of a standby are, or writable. */
  const setReadOnly = async (url: string, readOnly: boolean) => {
    const server = new URL(url);
    server.pathname = "/postgres";
    const name = new URL(url).pathname.slice(1);
    await runSql(server.href, `ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`);
  };

  it("check fails, and commits wait until a primary accepts them", async () => {
    const { url, storage, fixture, sequences } = await openFaultyStorage();
    await setReadOnly(url, true);
    await endSessions(url, storage);
    await expect(storage.check()).rejects.toMatchObject({ cause: { message: "the database is a read-only standby" } });
    expect(await fixture.find(itemRef("item-1"))).toMatchObject({ version: 1 });
    const removed = fixture.remove(itemRef("item-1"), 1);
    await setReadOnly(url, false);
    expect(await removed).toMatchObject({ sequence: 2 });
    await storage.check();
    expect(await sequences()).toEqual([1, 2]);
  });

  it("fails each call of a batch as unavailable, not as contended", async () => {
    const { url, storage } = await openFaultyStorage({ retryFor: 100 });
    await setReadOnly(url, true);
    await endSessions(url, storage);
    const calls = Array.from({ length: 20 }, (_, n) =>
      storage.transact(refOf(), commitWrites([revocationOf(`token-${n}`)])),
    );
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: "rejected", reason: unavailable });
    }
  });
});
