import type { DelegationChange } from "../../domain/manage-delegation.js";
import type { Bounds } from "../../domain/model/bounds.js";
import type { DelegationCase, DelegationGiven, DelegationOutcome } from "./run-delegation-cases.js";

const row = (
  title: string,
  given: DelegationGiven,
  call: DelegationCase["call"],
  outcome: DelegationOutcome,
): DelegationCase => ({ section: "DECISIONS section 9", title, given, call, outcome });

const minute = 60_000;
const day = 24 * 60 * minute;
const all: Bounds = { vaults: ["v-1"], actions: ["delete"], maxDeletions: 3, expiresAt: minute };

const deletes = (title: string, given: DelegationGiven, outcome: DelegationOutcome, baseVersion = 1) =>
  row(`a deletion ${title}`, given, { operation: "Delete", baseVersion }, outcome);
const unknown = { reason: "VAULT_NOT_FOUND" };
const over = { reason: "DELEGATION_ENDED" };
const exhausted = (allowed: number, used: number) => ({ reason: "DELEGATION_EXHAUSTED", allowed, used });

const deletions: readonly DelegationCase[] = [
  deletes("within all bounds", { bounds: all }, { used: 1 }),
  deletes("that is not bounded is counted", { bounds: {} }, { used: 1 }),
  deletes("in another vault", { bounds: { vaults: ["v-2"] } }, unknown),
  deletes("where no vault is allowed", { bounds: { vaults: [] } }, unknown),
  deletes("where other actions are allowed", { bounds: { actions: ["read", "write", "restore"] } }, unknown),

  deletes("that is the last of the budget", { bounds: all, used: 2 }, { used: 3 }),
  deletes("beyond the budget", { bounds: all, used: 3 }, exhausted(3, 3)),
  deletes("beyond a budget of 0", { bounds: { maxDeletions: 0 } }, exhausted(0, 0)),
  deletes("beyond a budget that is below what was used", { bounds: { maxDeletions: 1 }, used: 3 }, exhausted(1, 3)),
  deletes("that is a retry, beyond the budget", { bounds: all, used: 3, item: "deleted" }, {}),
  deletes("at another version", { bounds: all, used: 3 }, { reason: "VERSION_CONFLICT" }, 2),
  deletes("of no item", { bounds: all, used: 3, item: "missing" }, { reason: "ITEM_NOT_FOUND" }),
  deletes(
    "of a viewer, beyond the budget",
    { bounds: all, used: 3, role: "viewer" },
    { reason: "ROLE_FORBIDS_DELETE" },
  ),

  deletes("just before the end", { bounds: all, after: minute - 1 }, { used: 1 }),
  deletes("at the end", { bounds: all, after: minute }, over),
  deletes("just before the last token expires", { bounds: {}, after: day - 1 }, { used: 1 }),
  deletes("when the last token expires, before the end", { bounds: { expiresAt: 2 * day }, after: day }, over),
  deletes("after the person has ended the delegation", { bounds: all, ended: true }, over),
  deletes("with a delegation that does not exist", {}, over),
  deletes("of somebody who is not a member", { bounds: all, role: "none" }, unknown),
];

const changes = (
  title: string,
  given: DelegationGiven,
  change: DelegationChange,
  outcome: DelegationOutcome,
  by?: "another person",
) => row(`a change ${title}`, given, { operation: "Change", by, change }, outcome);
const notFound = { reason: "DELEGATION_NOT_FOUND" };
const wider: Bounds = { vaults: ["v-1", "v-2"], maxDeletions: 9 };
const narrower: Bounds = { actions: [], maxDeletions: 3 };
const widened = { bounds: wider, event: "changed: vaults v-1 v-2, at most 9 deletions" };
const narrowed = { bounds: narrower, event: "changed: actions none, at most 3 deletions" };
const asShown: Bounds = { expiresAt: minute, maxDeletions: 3, actions: ["delete"], vaults: ["v-1", "v-1"] };
const asBefore: Bounds = { ...asShown, maxDeletions: 2 };

const changed: readonly DelegationCase[] = [
  changes("to wider bounds", { bounds: all }, { bounds: wider }, widened),
  changes("to bounds in another order", { bounds: all }, { bounds: { ...wider, vaults: ["v-2", "v-1"] } }, widened),
  changes("to less than was used, which stays used", { bounds: wider, used: 5 }, { bounds: narrower }, narrowed),
  changes("of the number of deletions only", { bounds: { ...wider, maxDeletions: 3 } }, { maxDeletions: 9 }, widened),
  changes("of the bounds that the person saw", { bounds: all, used: 1 }, { bounds: wider, expected: asShown }, widened),
  changes(
    "of other bounds than the person saw",
    { bounds: all },
    { bounds: wider, expected: asBefore },
    { reason: "DELEGATION_CHANGED" },
  ),
  changes("after the end, to a later one", { bounds: all, after: minute }, { bounds: wider }, widened),
  changes("after the last token has expired", { bounds: {}, after: day }, { bounds: wider }, notFound),
  changes("of a delegation that does not exist", {}, { bounds: wider }, notFound),
  changes("by another person", { bounds: all }, { bounds: wider }, notFound, "another person"),
];

const ended: readonly DelegationCase[] = [
  row("an end", { bounds: all, used: 2 }, { operation: "End" }, { used: 2, ended: true, event: "ended" }),
  row("a second end", { bounds: all, ended: true }, { operation: "End" }, { ended: true }),
  row("an end of a delegation that does not exist", {}, { operation: "End" }, {}),
  row("an end by another person", { bounds: all }, { operation: "End", by: "another person" }, { reason: "" }),
];

/** What a delegation allows, and who changes and ends it. */
export const delegationCases: readonly DelegationCase[] = [...deletions, ...changed, ...ended];
