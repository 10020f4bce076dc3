import { expect } from "vitest";
import type { AuditRow } from "../../domain/audit-seal.js";
import type { Decision } from "../../domain/decision.js";
import type { BoundRule } from "../../domain/rule.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import { createMemoryVaults } from "../memory-vaults.js";
import type { ItemDriver } from "./run-item-cases.js";
import { type CaseClock, createStorageDriver, type ItemStorage } from "./storage-driver.js";

/** Applies the rules of items to vaults in memory, and counts how often a content is loaded. */
export function createRulesDriver(clock: CaseClock, access: "member" | "administrator"): ItemDriver {
  let loads = 0;
  const vaults = createMemoryVaults(() => {
    loads += 1;
  });
  const audit: AuditRow[] = [];

  const storage: ItemStorage = {
    async transact<R extends Ref, Outcome>(ref: R, { name, decide }: BoundRule<Snapshots[R["kind"]], Outcome>) {
      if (ref.kind !== "item" && ref.kind !== "vault") throw new Error(`The cases of items do not load: ${ref.kind}.`);
      const decision: Decision<Outcome> = Reflect.apply(decide, undefined, [vaults.load(ref)]);
      const { outcome, writes } = decision;
      checkDecision(ref, name, decision);
      for (const write of writes) {
        if (write.kind === "audit") audit.push({ ...write.record, position: audit.length + 1 });
      }
      return { outcome, sequence: vaults.commit(writes) };
    },
    async listChanges(query) {
      const { vault } = vaults.load(query);
      return { vault, head: vaults.head(query), reached: true, items: [], hasMore: false };
    },
    async listAudit({ tenantId, limit }) {
      const rows = audit.filter(({ subjectTenantId }) => subjectTenantId === tenantId);
      return { rows: rows.toReversed().slice(0, limit), next: undefined };
    },
  };

  const driver = createStorageDriver(storage, clock, access);
  return {
    ...driver,
    host: {
      ...driver.host,
      async createVault(vault) {
        await driver.host.createVault(vault);
        vaults.setFloor(vault, vault.floor);
      },
    },
    contentLoads() {
      const counted = loads;
      loads = 0;
      return counted;
    },
  };
}

/** Checks what a storage relies on, and no response shows. */
function checkDecision(ref: Ref, rule: string, { outcome, writes, disclosed = false }: Decision<unknown>): void {
  const puts = rule.startsWith("putItem");
  if (ref.kind === "item" && ref.principalId !== undefined && writes.length === 0) {
    // The storage makes all rejections of members take equally long, and must know which outcomes are none.
    const returnsItem =
      !puts && typeof outcome === "object" && outcome !== null && "ok" in outcome && outcome.ok === true;
    expect(disclosed, "discloses that the item exists").toBe(returnsItem);
  }
  // The storage keeps the content where a change has none.
  for (const write of writes) if (write.kind === "change") expect(write.content !== undefined).toBe(puts);
}
