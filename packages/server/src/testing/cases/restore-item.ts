import { conflictWith, type ItemCase, type ItemGiven, type ItemOutcome } from "./item-case.js";

const row = (title: string, given: ItemGiven, baseVersion: number, outcome: ItemOutcome): ItemCase => ({
  section: "DECISIONS section 3 and INTERNAL, RestoreItem",
  title,
  given,
  call: { operation: "RestoreItem", baseVersion },
  outcome,
});

const live = ["put", "put", "put"] as const;
const tombstone = [...live, "delete"] as const;
const shredded = { reason: "ITEM_SHREDDED" } as const;

/** The cases of RestoreItem, for members and administrators. */
export const restoreItemCases: readonly ItemCase[] = [
  row("a vault that is missing", { vault: "missing" }, 4, { reason: "VAULT_NOT_FOUND" }),
  row("a vault of another tenant", { vault: "of another tenant", history: live }, 3, {
    reason: "VAULT_NOT_FOUND",
  }),
  row("a caller who is not a member", { role: "none", history: tombstone }, 4, { reason: "VAULT_NOT_FOUND" }),
  ...["viewer", "auditor"].flatMap((role) => [
    row(`the role ${role}`, { role, history: tombstone }, 4, { reason: "ROLE_FORBIDS_CHANGE" }),
    row(`the role ${role}, and a live item`, { role, history: live }, 3, { reason: "ROLE_FORBIDS_CHANGE" }),
  ]),

  ...["owner", "admin", "member"].map((role) =>
    row(`an ${role} restores`, { role, history: tombstone }, 4, { changed: "restored", version: 5, sequence: 6 }),
  ),
  row("just before the retention ends", { retentionDays: 1, history: [...tombstone, { daysPass: 0.999 }] }, 4, {
    changed: "restored",
    version: 5,
    sequence: 6,
  }),
  row("deleted, restored and deleted again", { history: [...tombstone, "restore", "delete"] }, 6, {
    changed: "restored",
    version: 7,
    sequence: 8,
  }),

  row("no item", {}, 4, { reason: "ITEM_NOT_FOUND" }),
  row("a live item", { history: live }, 3, conflictWith(3, false, 4)),
  row("a restored item: a retry is a conflict", { history: [...tombstone, "restore"] }, 4, conflictWith(5, false, 6)),
  row("a tombstone, one version below", { history: tombstone }, 3, conflictWith(4, true, 5)),
  row("a shredded item, one version below", { retentionDays: 0, history: tombstone }, 3, conflictWith(4, true, 5)),

  row("the retention has ended", { retentionDays: 1, history: [...tombstone, { daysPass: 1 }] }, 4, shredded),
  row("a shredded item", { history: [...tombstone, { daysPass: 30 }, "shred"] }, 4, shredded),
  row("shredded at once", { retentionDays: 0, history: tombstone }, 4, shredded),
];
