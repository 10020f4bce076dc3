import fc from "fast-check";
import { expect } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import { changeDelegation } from "../../domain/manage-delegation.js";
import { createVault, setVaultMember } from "../../domain/manage-vault.js";
import type { Actor } from "../../domain/model/actor.js";
import type { Bounds } from "../../domain/model/bounds.js";
import { delegations } from "../../domain/model/delegation.js";
import { putItem } from "../../domain/put-item.js";
import { restoreItem } from "../../domain/restore-item.js";
import { removeAccess } from "../../domain/revoke-access.js";
import { type Ref, refOf, type Storage } from "../../ports/storage.js";
import { content } from "../cases/item-case.js";
import { boundsAfter } from "../cases/run-delegation-cases.js";
import { type CaseClock, caseCaller } from "../cases/storage-driver.js";
import { createDelegation } from "../storage-suite/values.js";

const vaultIds = ["v-1", "v-2"];
const itemIds = ["i-1", "i-2", "i-3"];

const where = { vault: fc.constantFrom(...vaultIds), item: fc.constantFrom(...itemIds) };
/** A deletion by a caller of one of two delegations, or by one without. `off` is its base version relative to that of the model. */
const deletion = fc.record({
  do: fc.constant("delete" as const),
  ...where,
  by: fc.constantFrom("one", "one", "one", "other", undefined),
  off: fc.constantFrom(0, 0, 0, 0, -1, -2, 1),
});
const restoration = fc.record({ do: fc.constant("restore" as const), ...where });
/** Their end is in milliseconds after the start. */
const bounds: fc.Arbitrary<Bounds> = fc.record(
  {
    maxDeletions: fc.constantFrom(0, 1, 2, 5, 20),
    vaults: fc.constantFrom(["v-1"], ["v-2", "v-1"], []),
    expiresAt: fc.constantFrom(3_000, 30_000),
  },
  { requiredKeys: [] },
);
const change = fc.record({
  do: fc.constant("change" as const),
  of: fc.constantFrom("one", "other"),
  person: fc.constantFrom(true, true, true, false),
  bounds,
});
const end = fc.record({
  do: fc.constant("end" as const),
  of: fc.constantFrom("one", "other"),
  person: fc.constantFrom(true, false),
});
const command = fc.oneof(
  { weight: 12, arbitrary: deletion },
  { weight: 6, arbitrary: restoration },
  { weight: 3, arbitrary: change },
  { weight: 1, arbitrary: end },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** Commands that are made in one turn of the event loop, after some time. */
const group = fc.record({
  ms: fc.constantFrom(0, 1, 1, 1_000, 4_000),
  commands: fc.array(command, { minLength: 1, maxLength: 8, size: "max" }),
});

interface Budget {
  bounds: Bounds;
  used: number;
  ended: boolean;
}

interface ModelItem {
  version: number;
  live: boolean;
}

/**
 * Makes random deletions, restorations, changes and ends of two delegations, and expects every result to be the one that the model has at
 * that moment: a delegation pays for each live item that is deleted with it, for nothing else, and never for more than it allows.
 *
 * @returns how often each kind of result was seen
 */
export async function runDelegationModel(
  open: () => { readonly storage: Pick<Storage, "transact" | "readRecords">; readonly clock: CaseClock },
  numRuns: number,
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>();
  const histories = fc.array(group, { minLength: 2, maxLength: 10, size: "max" });
  const property = fc.asyncProperty(histories, async (groups) => {
    const { storage, clock } = open();
    // Each run has another tenant.
    const tenantId = `t-${crypto.randomUUID()}`;
    const actor: Actor = { ...caseCaller, tenantId };
    const owner = { tenantId, principalId: actor.principalId, oauthClientId: actor.oauthClientId };
    await createItems(storage, actor, clock.now());
    const startedAt = clock.now();
    const items = new Map<string, ModelItem>();
    for (const vault of vaultIds) for (const item of itemIds) items.set(`${vault}/${item}`, { version: 1, live: true });
    const budgets = new Map<string, Budget>();
    for (const delegationId of ["one", "other"]) {
      const budget = { bounds: { maxDeletions: 2 }, used: 0, ended: false };
      budgets.set(delegationId, budget);
      await createDelegation(storage, { ...owner, delegationId, bounds: budget.bounds }, startedAt);
    }

    for (const { ms, commands } of groups) {
      clock.advance(ms);
      const now = clock.now();
      const expected = commands.map((each) => {
        const inTime = "bounds" in each ? { ...each, bounds: boundsAfter(each.bounds, startedAt) } : each;
        const { version } = "item" in each ? itemOf(items, each) : { version: 0 };
        const baseVersion = Math.max(0, version + ("off" in each ? each.off : 0));
        return { each: inTime, baseVersion, result: step(items, budgets, inTime, baseVersion, now) };
      });
      const calls = expected.map(({ each, baseVersion }) => perform(storage, actor, each, baseVersion, now));
      const results = await Promise.all(calls);
      for (const [index, { each, result }] of expected.entries()) {
        expect(results[index], JSON.stringify(each)).toEqual(result);
        const name = `${each.do} ${result.ok ? "ok" : result.reason}`;
        reached.set(name, (reached.get(name) ?? 0) + 1);
      }
    }
    const ids = [...budgets.keys()];
    const stored = await storage.readRecords(ids.map((id) => delegations.key(tenantId, id)));
    const uses = stored.map((record) => delegations.read(record)?.deletions);
    expect(uses).toEqual([...budgets.values()].map(({ used }) => used));
  });
  await fc.assert(property, { numRuns });
  return reached;
}

type Result =
  | { readonly ok: true; readonly version?: number }
  | { readonly ok: false; readonly reason: string; readonly allowed?: number; readonly used?: number };

const rejected = (reason: string): Result => ({ ok: false, reason });

/** Returns the result that a command must have, and changes the state of the model. */
function step(
  items: ReadonlyMap<string, ModelItem>,
  budgets: ReadonlyMap<string, Budget>,
  each: Command,
  baseVersion: number,
  now: number,
): Result {
  switch (each.do) {
    case "restore": {
      const item = itemOf(items, each);
      if (item.live) return rejected("VERSION_CONFLICT");
      item.version += 1;
      item.live = true;
      return { ok: true, version: item.version };
    }
    case "delete": {
      const item = itemOf(items, each);
      const budget = each.by && budgetOf(budgets, each.by);
      if (budget && (budget.ended || isOver(budget, now))) return rejected("DELEGATION_ENDED");
      if (budget && budget.bounds.vaults?.includes(each.vault) === false) return rejected("VAULT_NOT_FOUND");
      if (!item.live) {
        const seen = baseVersion === item.version || baseVersion === item.version - 1;
        return seen ? { ok: true, version: item.version } : rejected("VERSION_CONFLICT");
      }
      if (baseVersion !== item.version) return rejected("VERSION_CONFLICT");
      const allowed = budget ? budget.bounds.maxDeletions : undefined;
      if (budget && allowed !== undefined && budget.used >= allowed) {
        return { ok: false, reason: "DELEGATION_EXHAUSTED", allowed, used: budget.used };
      }
      if (budget) budget.used += 1;
      item.version += 1;
      item.live = false;
      return { ok: true, version: item.version };
    }
    case "change": {
      const budget = budgetOf(budgets, each.of);
      if (!each.person || budget.ended) return rejected("DELEGATION_NOT_FOUND");
      budget.bounds = each.bounds;
      return { ok: true };
    }
    case "end": {
      const budget = budgetOf(budgets, each.of);
      if (!each.person) return rejected("");
      budget.ended = true;
      return { ok: true };
    }
  }
}

function isOver({ bounds: { expiresAt } }: Budget, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** Makes the call of a command, in the turn in which it is called. */
async function perform(
  storage: Pick<Storage, "transact">,
  actor: Actor,
  each: Command,
  baseVersion: number,
  now: number,
): Promise<Result> {
  const { tenantId, principalId } = actor;
  switch (each.do) {
    case "delete": {
      const { by, vault: vaultId, item: itemId } = each;
      const record = by && delegations.key(tenantId, by);
      const ref: Ref = { kind: "item", tenantId, vaultId, itemId, principalId, record };
      return resultOf((await storage.transact(ref, deleteItem(baseVersion, actor, now, by))).outcome);
    }
    case "restore": {
      const { vault: vaultId, item: itemId } = each;
      const ref: Ref = { kind: "item", tenantId, vaultId, itemId };
      return resultOf((await storage.transact(ref, restoreItem("administrator", baseVersion, actor, now))).outcome);
    }
    case "change": {
      const by = each.person ? actor : { ...actor, principalId: "p-other" };
      const rule = changeDelegation(each.of, { bounds: each.bounds }, by, now);
      const { outcome } = await storage.transact(refOf(delegations.key(tenantId, each.of)), rule);
      return outcome.ok ? { ok: true } : outcome;
    }
    case "end": {
      const by = each.person ? actor : { ...actor, principalId: "p-other" };
      const ref = refOf(delegations.key(tenantId, each.of));
      const { outcome } = await storage.transact(ref, removeAccess(each.of, by, now));
      return outcome.ok ? { ok: true } : rejected("");
    }
  }
}

function resultOf(
  outcome:
    | { readonly ok: true; readonly item: { readonly version: number } }
    | { readonly ok: false; readonly reason: string; readonly allowed?: number; readonly used?: number },
): Result {
  if (outcome.ok) return { ok: true, version: outcome.item.version };
  const { reason, allowed, used } = outcome;
  return allowed === undefined || used === undefined ? rejected(reason) : { ok: false, reason, allowed, used };
}

async function createItems(storage: Pick<Storage, "transact">, actor: Actor, now: number): Promise<void> {
  const { tenantId, principalId } = actor;
  for (const vaultId of vaultIds) {
    const vault = { kind: "vault", tenantId, vaultId } as const;
    await storage.transact(vault, createVault({ tenantId, vaultId, retentionDays: 30 }, actor, now));
    await storage.transact(vault, setVaultMember(principalId, "member", actor, now));
    for (const itemId of itemIds) {
      const ref = { tenantId, vaultId, itemId };
      await storage.transact({ kind: "item", ...ref }, putItem("administrator", ref, content, 0, actor, now));
    }
  }
}

function itemOf(items: ReadonlyMap<string, ModelItem>, { vault, item }: { vault: string; item: string }): ModelItem {
  return items.get(`${vault}/${item}`) ?? expect.unreachable();
}

function budgetOf(budgets: ReadonlyMap<string, Budget>, id: string): Budget {
  return budgets.get(id) ?? expect.unreachable();
}
