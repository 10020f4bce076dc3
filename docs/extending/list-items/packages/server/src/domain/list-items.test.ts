import { describe, expect, it } from "vitest";
import { decideListItems, type ListItemsOutcome } from "./list-items.js";
import type { ItemSnapshot } from "./vault.js";

const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 1 };
const notFound: ListItemsOutcome = { ok: false, reason: "VAULT_NOT_FOUND" };

describe("DECISIONS section 3: membership decides first, and a vault of others does not exist", () => {
  it.each<[name: string, snapshot: Partial<ItemSnapshot>, outcome: ListItemsOutcome]>([
    ["rejects a vault that does not exist", {}, notFound],
    ["rejects a caller who is not a member", { vault }, notFound],
    ["accepts an owner", { vault, role: "owner" }, { ok: true }],
    ["accepts a viewer", { vault, role: "viewer" }, { ok: true }],
    ["accepts a member in a role that it does not know", { vault, role: "auditor" }, { ok: true }],
  ])("%s", (_name, snapshot, outcome) => {
    const decision = decideListItems({ vault: undefined, role: undefined, item: undefined, floor: 0, ...snapshot });
    expect(decision).toEqual({ outcome, writes: [] });
  });
});
