import { type ItemCase, type ItemGiven, type ItemOutcome, shredded } from "./item-case.js";

const row = (title: string, given: ItemGiven, outcome: ItemOutcome): ItemCase => ({
  section: "INTERNAL, GetItem",
  title,
  given,
  call: { operation: "GetItem" },
  outcome,
});

const tombstone = ["put", "put", "delete"] as const;
const live = { version: 2, deleted: false, sequence: 3 };

/** The cases of GetItem, for members and administrators. */
export const getItemCases: readonly ItemCase[] = [
  row("a vault that is missing", { vault: "missing" }, { reason: "VAULT_NOT_FOUND" }),
  row("a vault of another tenant", { vault: "of another tenant", history: ["put"] }, { reason: "VAULT_NOT_FOUND" }),
  row("a caller who is not a member", { role: "none", history: ["put"] }, { reason: "VAULT_NOT_FOUND" }),
  row("no item", {}, { reason: "ITEM_NOT_FOUND" }),
  ...["owner", "admin", "member", "viewer", "auditor"].map((role) =>
    row(`a live item, as ${role}`, { role, history: ["put", "put"] }, live),
  ),
  row("a tombstone, with its content", { history: tombstone }, { version: 3, deleted: true, sequence: 4 }),
  row("a restored item", { history: [...tombstone, "restore"] }, { version: 4, deleted: false, sequence: 5 }),
  row(
    "a shredded item, without content",
    { history: [...tombstone, { daysPass: 30 }, "shred"] },
    { version: 3, deleted: true, sequence: 4, content: shredded },
  ),
  row(
    "a tombstone whose retention has not ended when the job runs",
    { history: [...tombstone, { daysPass: 29.999 }, "shred"] },
    { version: 3, deleted: true, sequence: 4 },
  ),
  row(
    "a restored item, when the job runs",
    { history: [...tombstone, "restore", { daysPass: 60 }, "shred"] },
    { version: 4, deleted: false, sequence: 5 },
  ),
  row(
    "shredded at once",
    { retentionDays: 0, history: tombstone },
    { version: 3, deleted: true, sequence: 4, content: shredded },
  ),
];
