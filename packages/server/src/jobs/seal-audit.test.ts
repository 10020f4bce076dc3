import { describe, expect, it } from "vitest";
import { type AuditTrailHead, createSealAudit } from "./seal-audit.js";

/** Returns a storage with a number of unsealed rows. */
function storageWith(rows: number) {
  let left = rows;
  return {
    left: () => left,
    async sealAudit(limit: number) {
      const sealed = Math.min(limit, left);
      left -= sealed;
      const head = sealed === 0 ? undefined : { position: rows - left, trail: `trail-${left}`, digest: "" };
      return { rows: sealed, head };
    },
  };
}

describe("the job that seals the audit trail", () => {
  it("seals all rows in rounds, and reports the newest head once", async () => {
    const storage = storageWith(1234);
    const heads: AuditTrailHead[] = [];
    const run = createSealAudit({ storage, onSealed: (head) => heads.push(head) });
    expect(await run()).toBe(1234);
    expect(await run()).toBe(0);
    expect(heads).toEqual([{ position: 1234, trail: "trail-0" }]);
  });

  it("stops between two rounds once it is aborted", async () => {
    const storage = storageWith(10_000);
    const stopping = new AbortController();
    const { sealAudit } = storage;
    const aborting = {
      async sealAudit(limit: number) {
        stopping.abort();
        return sealAudit(limit);
      },
    };
    expect(await createSealAudit({ storage: aborting })(stopping.signal)).toBe(10_000 - storage.left());
    expect(storage.left()).toBeGreaterThan(0);
  });

  it("reports the rounds before a failure", async () => {
    const storage = storageWith(10_000);
    const heads: AuditTrailHead[] = [];
    let rounds = 0;
    const failing = {
      async sealAudit(limit: number) {
        rounds += 1;
        if (rounds === 3) throw new Error("unavailable");
        return storage.sealAudit(limit);
      },
    };
    const run = createSealAudit({ storage: failing, onSealed: (head) => heads.push(head) });
    await expect(run()).rejects.toThrow("unavailable");
    expect(heads).toEqual([{ position: 10_000 - storage.left(), trail: `trail-${storage.left()}` }]);
  });
});
