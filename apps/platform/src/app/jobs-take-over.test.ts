import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { createMemoryKeyStore, createPlatform, createSqliteStorage, type Storage } from "@platform-rpc/server";
import { createClockWatch, type Lease } from "@platform-rpc/server/host";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startJobs } from "../process/jobs.js";

let storage: Storage;
beforeEach(() => {
  vi.useFakeTimers();
  storage = createSqliteStorage({ path: ":memory:" });
});
afterEach(async () => {
  await settled(storage.close());
  vi.useRealTimers();
});

/** Lets the storage, which works in setImmediate, work until a promise is settled. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  while (!ended) await vi.advanceTimersByTimeAsync(1);
  return work;
}

/** A lease as it is stored: its holder keeps it for 10 s. */
function createLeases() {
  let holder = "";
  let until = 0;
  return (process: string): Pick<Lease, "hold"> => ({
    async hold() {
      const now = performance.now();
      if (holder !== process && now < until) return false;
      holder = process;
      until = now + 10_000;
      return true;
    },
  });
}

/** Starts a process of the platform, with its jobs. `kill` stops them, and does not give the lease back. */
async function startProcess(name: string, lease: Pick<Lease, "hold">) {
  const sealed: number[] = [];
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    issuer: "https://i.example",
    audience: "https://a.example",
    brokerAudience: "https://b.example",
    clockWatch: createClockWatch({ storage, runId: name, lease }),
    lease,
    onAuditSealed: () => sealed.push(performance.now()),
  });
  const failed: object[] = [];
  const logger = { info() {}, error: (fields: object) => failed.push(fields) };
  const jobs = startJobs(platform.jobs, { logger, onFatal: (error) => failed.push(error) });
  let vaults = 0;
  return {
    ...platform,
    sealed,
    failed,
    /** Makes an audited change. */
    async change() {
      vaults += 1;
      const vault = { tenantId: "t-1", vaultId: `${name}-${vaults}`, retentionDays: 0 };
      await settled(platform.own.createVault(vault, ownCall("test", platform.secrets)));
    },
    kill: () => settled(jobs.stop()),
  };
}

describe("the jobs that one of several processes runs", () => {
  it("begin within 13 s in another process when their holder is killed between two turns", async () => {
    const leaseOf = createLeases();
    const first = await startProcess("first", leaseOf("first"));
    await vi.advanceTimersByTimeAsync(1_000);
    const second = await startProcess("second", leaseOf("second"));
    await first.change();
    await vi.advanceTimersByTimeAsync(10_000);
    await first.kill();
    const killedAt = performance.now();
    expect([first.sealed, second.sealed]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(second.sealed).toHaveLength(1);
    expect(Number(second.sealed[0]) - killedAt).toBeLessThanOrEqual(13_000);
    expect(second.failed).toEqual([]);
    await second.kill();
  });

  it("run once a minute in the process that holds the lease, and never in the others", async () => {
    const leaseOf = createLeases();
    const first = await startProcess("first", leaseOf("first"));
    const second = await startProcess("second", leaseOf("second"));
    for (let second = 0; second < 200; second += 1) {
      await first.change();
      await vi.advanceTimersByTimeAsync(999);
    }
    expect(first.sealed).toHaveLength(3);
    expect(second.sealed).toEqual([]);
    await Promise.all([first.kill(), second.kill()]);
  });

  it("try again at their next turn after a failure", async () => {
    const { sealAudit } = storage;
    let failures = 2;
    storage = {
      ...storage,
      sealAudit: async (limit) => {
        failures -= 1;
        if (failures >= 0) throw new TypeError("failed");
        return sealAudit(limit);
      },
    };
    const process = await startProcess("first", createLeases()("first"));
    await process.change();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(process.failed).toHaveLength(2);
    expect(process.sealed).toHaveLength(1);
    await process.kill();
  });

  it("are measured by every process, from what is stored", async () => {
    const nobody: Pick<Lease, "hold"> = { hold: async () => false };
    const process = await startProcess("first", nobody);
    await process.change();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(process.jobLag()).toEqual([
      { job: "shred items", seconds: 0 },
      { job: "purge", seconds: 0 },
      { job: "seal audit trail", seconds: expect.closeTo(60, 0) },
    ]);
    await process.kill();
  });
});
