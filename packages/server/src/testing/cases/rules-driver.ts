import { expect } from "vitest";
import type { Decision } from "../../domain/model/decision.js";
import type { Rule } from "../../domain/rule.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import { createMemoryStorage } from "./memory-storage.js";
import type { ItemDriver } from "./run-item-cases.js";
import { type CaseClock, createStorageDriver, type ItemStorage } from "./storage-driver.js";

/** Applies the rules of items in memory, and counts how often a content is loaded. */
export function createRulesDriver(clock: CaseClock, access: "member" | "administrator"): ItemDriver {
  let loads = 0;
  const memory = createMemoryStorage(() => {
    loads += 1;
  });
  const checked: ItemStorage = {
    ...memory,
    transact<R extends Ref, Outcome>(ref: R, rule: Rule<Snapshots[R["kind"]], Outcome>) {
      return memory.transact(ref, (snapshot) => {
        const decision = rule(snapshot);
        checkDecision(ref, puts, decision);
        return decision;
      });
    },
  };

  /** Whether the call that is being made is one of PutItem. */
  let puts = false;
  const driver = createStorageDriver(checked, clock, access);
  return {
    ...driver,
    call(ref, call) {
      puts = call.operation === "PutItem";
      return driver.call(ref, call);
    },
    host: {
      ...driver.host,
      change(ref, call) {
        puts = call.operation === "PutItem";
        return driver.host.change(ref, call);
      },
      async createVault(vault) {
        await driver.host.createVault(vault);
        memory.setFloor(vault, vault.floor);
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
function checkDecision(ref: Ref, puts: boolean, { outcome, writes, disclosed = false }: Decision<unknown>): void {
  if (ref.kind === "item" && ref.principalId !== undefined && writes.length === 0) {
    // The storage makes all rejections of members take equally long, and must know which outcomes are not rejections.
    const returnsItem =
      !puts && typeof outcome === "object" && outcome !== null && "ok" in outcome && outcome.ok === true;
    expect(disclosed, "discloses that the item exists").toBe(returnsItem);
  }
  // The storage keeps the content where a change has none.
  for (const write of writes) if (write.kind === "change") expect(write.content !== undefined).toBe(puts);
}
