import { conflictWith, type ItemCase, type ItemGiven, type ItemOutcome, shredded } from "./item-case.js";

const row = (rule: number, title: string, given: ItemGiven, baseVersion: number, outcome: ItemOutcome): ItemCase => ({
  section: `DECISIONS section 3, rule ${rule}`,
  title,
  given,
  call: { operation: "DeleteItem", baseVersion },
  outcome,
});

const live = ["put", "put", "put"] as const;
const tombstone = [...live, "delete"] as const;
const skeleton = [...tombstone, { daysPass: 30 }, "shred"] as const;
const restored = [...tombstone, "restore"] as const;

/** The cases of DeleteItem. */
export const deleteItemCases: readonly ItemCase[] = [
  row(1, "a vault that is missing", { vault: "missing" }, 3, { reason: "VAULT_NOT_FOUND" }),
  row(1, "a vault of another tenant", { vault: "of another tenant", history: live }, 3, { reason: "VAULT_NOT_FOUND" }),
  row(1, "a caller who is not a member", { role: "none", history: live }, 3, { reason: "VAULT_NOT_FOUND" }),
  row(1, "not a member, and no item", { role: "none" }, 3, { reason: "VAULT_NOT_FOUND" }),

  row(2, "a viewer", { role: "viewer", history: live }, 3, { reason: "ROLE_FORBIDS_DELETE" }),
  row(2, "an agent", { role: "agent", history: live }, 3, { reason: "ROLE_FORBIDS_DELETE" }),
  row(2, "a role of another spelling", { role: "Owner", history: live }, 3, { reason: "ROLE_FORBIDS_DELETE" }),
  row(2, "a viewer, and no item", { role: "viewer" }, 3, { reason: "ROLE_FORBIDS_DELETE" }),
  row(2, "a viewer, and a tombstone", { role: "viewer", history: tombstone }, 3, { reason: "ROLE_FORBIDS_DELETE" }),
  row(2, "a viewer, at another version", { role: "viewer", history: live }, 2, { reason: "ROLE_FORBIDS_DELETE" }),

  row(3, "no item", {}, 1, { reason: "ITEM_NOT_FOUND" }),
  row(3, "no item, at a high version", {}, 4_294_967_295, { reason: "ITEM_NOT_FOUND" }),

  ...["owner", "admin", "member"].map((role) =>
    row(4, `an ${role} deletes`, { role, history: live }, 3, { changed: "deleted", version: 4, sequence: 5 }),
  ),
  row(4, "the first version", { history: ["put"] }, 1, { changed: "deleted", version: 2, sequence: 3 }),
  row(4, "a restored item", { history: restored }, 5, { changed: "deleted", version: 6, sequence: 7 }),
  row(4, "the cursor follows the head of the vault", { history: [...live, "another item changes"] }, 3, {
    changed: "deleted",
    version: 4,
    sequence: 6,
  }),
  row(4, "a retention of 0 shreds at once", { retentionDays: 0, history: live }, 3, {
    changed: "deleted",
    version: 4,
    sequence: 5,
    content: shredded,
  }),

  row(5, "a retry", { history: tombstone }, 3, { version: 4, deleted: true, sequence: 5 }),
  row(5, "the version of the tombstone", { history: tombstone }, 4, { version: 4, deleted: true, sequence: 5 }),
  row(5, "a retry after another change of the vault", { history: [...tombstone, "another item changes"] }, 3, {
    version: 4,
    deleted: true,
    sequence: 5,
  }),
  row(5, "a retry after the retention, before shredding", { history: [...tombstone, { daysPass: 31 }] }, 3, {
    version: 4,
    deleted: true,
    sequence: 5,
  }),
  row(5, "a retry after shredding", { history: skeleton }, 3, {
    version: 4,
    deleted: true,
    sequence: 5,
    content: shredded,
  }),
  row(5, "the version of a shredded tombstone", { history: skeleton }, 4, {
    version: 4,
    deleted: true,
    sequence: 5,
    content: shredded,
  }),
  row(5, "a retry where the retention is 0", { retentionDays: 0, history: tombstone }, 3, {
    version: 4,
    deleted: true,
    sequence: 5,
    content: shredded,
  }),

  row(6, "a live item, one version below", { history: live }, 2, conflictWith(3, false, 4)),
  row(6, "a live item, two versions below", { history: live }, 1, conflictWith(3, false, 4)),
  row(6, "a live item, one version above", { history: live }, 4, conflictWith(3, false, 4)),
  row(6, "a tombstone, two versions below", { history: tombstone }, 2, conflictWith(4, true, 5)),
  row(6, "a tombstone, one version above", { history: tombstone }, 5, conflictWith(4, true, 5)),
  row(6, "a shredded item, two versions below", { history: skeleton }, 2, conflictWith(4, true, 5)),
  row(6, "a shredded item, one version above", { history: skeleton }, 5, conflictWith(4, true, 5)),
  row(6, "a restored item, at the version deleted before", { history: restored }, 3, conflictWith(5, false, 6)),
  row(6, "a restored item, at the version of the tombstone", { history: restored }, 4, conflictWith(5, false, 6)),
];
