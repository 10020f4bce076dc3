import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ItemRequest } from "@platform-rpc/server/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { readHistory, writeHistory } from "../history/history-file.ts";
import type { RecordedCall } from "../history/journal.ts";
import type { AuditSeal, Stored } from "../history/stored.ts";
import { createRightHistory } from "./testing/right-history.ts";
import { createSerialVault } from "./testing/serial-vault.ts";
import { verify } from "./verify.ts";

/** What a planted history changes: results of calls, calls without a result, new calls at the end, and rows. */
interface Planted {
  readonly results?: Readonly<Record<string, object>>;
  readonly without?: readonly string[];
  /** Calls that are repeated at the end, or at a time, with another result. */
  readonly again?: readonly (readonly [name: string, result: object, at?: number])[];
  readonly stored?: (stored: Stored) => Partial<Stored>;
  readonly minimum?: number;
}

const options = { clockMoves: false, minimum: 0, losesUntil: 0 };

function plant({ results = {}, without = [], again = [], stored, minimum = 0 }: Planted) {
  const right = createRightHistory();
  const named: Readonly<Record<string, RecordedCall>> = right.calls;
  const changed = (call: RecordedCall | undefined, result: object, at?: number) =>
    ({
      ...call,
      result: { ...call?.result, ...result },
      ...(at !== undefined && { begunAt: at, endedAt: at + 1 }),
    }) as RecordedCall;
  const calls = Object.entries(named)
    .filter(([name]) => !without.includes(name))
    .map(([name, call]) => (results[name] === undefined ? call : changed(call, results[name])));
  const end = Math.max(...calls.map(({ endedAt }) => endedAt));
  const more = again.map(([name, result, at = end + 10_000_000]) => changed(named[name], result, at));
  const rows = { ...right.stored, ...stored?.(right.stored) };
  return verify([...calls, ...more], rows, { ...options, minimum }).violations.join("\n");
}

/** Returns a function that changes the rows of a table that have some values. `undefined` removes them. */
function rows<Table extends keyof Stored>(table: Table, where: object, change: object | undefined) {
  return (stored: Stored): Partial<Stored> => {
    const matches = (row: object) => Object.entries(where).every(([name, value]) => Reflect.get(row, name) === value);
    const all: readonly (object | string)[] = stored[table];
    const next = all.flatMap((row) => {
      if (typeof row === "string" || !matches(row)) return [row];
      return change === undefined ? [] : [{ ...row, ...change }];
    });
    return { [table]: next };
  };
}

/** Returns the seals of a tenant as those of another cell, from which it has arrived. */
function arrived({ seals }: Stored, change: Partial<AuditSeal> = {}): Stored["seals"] {
  const own = seals.filter(({ subjectTenantId }) => subjectTenantId === "t");
  return own.map((seal) => ({ ...seal, trail: "0".repeat(64), ...change, arrived: true }));
}

/** Makes several changes of rows, one after the other. */
function all(...changes: readonly ((stored: Stored) => Partial<Stored>)[]) {
  return (stored: Stored) => {
    let changed = stored;
    for (const change of changes) changed = { ...changed, ...change(changed) };
    return changed;
  };
}

const added = (table: keyof Stored, from: object, change: object) => (stored: Stored) => {
  const found = rows(table, from, change)(stored)[table] ?? [];
  const known: readonly unknown[] = stored[table];
  return { [table]: [...known, ...found.filter((row) => !known.includes(row))] };
};

const everyRead = ["readBefore", "listDeleted", "feed", "listAll"];
const lastOfA = { vaultId: "v", itemId: "a", version: 3 };
const lastRecordOfA = { subject: "item:v/a", versionAfter: 3 };
const a1 = { itemId: "a", version: 1, deleted: false, sequence: 1, content: "a1" };
const a3 = { itemId: "a", version: 3, deleted: false, sequence: 5, content: "a1" };
const b2 = { itemId: "b", version: 2, deleted: false, sequence: 4, content: "b2" };

describe("the checks find", () => {
  it.each<[string, Planted, RegExp]>([
    // What clients were told, against each other and against the order of the changes.
    [
      "a lost update",
      { again: [["readB", { version: 1, sequence: 2, content: "b1" }]] },
      /the get of v\/b .* shows version 1, which is older than sequence 4, but .* had shown sequence 5 before/,
    ],
    [
      "a lost acknowledged put",
      {
        stored: all(
          rows("changes", lastOfA, undefined),
          rows("audit", lastRecordOfA, undefined),
          rows("vaults", {}, { sequence: 4 }),
        ),
      },
      /the restore of v\/a .* shows version 3 with sequence 5, which is not stored: it was lost/,
    ],
    [
      "a stale read after an acknowledged write",
      { results: { readA: { version: 2, deleted: true, sequence: 3 } } },
      /item v\/a: no order of the calls explains .*"get"/,
    ],
    [
      "a wrong order after an earlier rejected call",
      {
        without: everyRead,
        results: { deleteA: { sequence: 4 }, deleteAgain: { sequence: 4 }, replaceB: { sequence: 3 } },
        stored: (stored) => ({
          changes: stored.changes
            .map((change) => ({ ...change, sequence: { 3: 4, 4: 3 }[change.sequence] ?? change.sequence }))
            .sort((a, b) => a.sequence - b.sequence),
        }),
      },
      /v\/b: version 2 has sequence 3, but was asked for at \d+ at the earliest, after .* had shown sequence 4/,
    ],
    [
      "a deleted item that comes back",
      { again: [["readA", { ...a1 }, 5_500_000]] },
      /item v\/a: no order of the calls explains .*"get"/,
    ],
    [
      "content of another call",
      { results: { readB: { content: "a1" } } },
      /content a1, but the call that made it has put b2/,
    ],
    [
      "content of an older version",
      { results: { listAll: { items: [b2, { ...a3, content: "b1" }] } } },
      /item a at version 3 with the content b1/,
    ],
    [
      "a retry with another answer",
      { results: { deleteAgain: { body: "other" } } },
      /the delete of v\/a to version 2 was answered with different bodies/,
    ],
    // Lists are reads of every item.
    [
      "a list that omits an item",
      { results: { listAll: { items: [a3] } } },
      /the list of v .* omits the item b, which has been at sequence 4 since/,
    ],
    [
      "a list of a whole vault that omits an item, also without the database",
      { results: { listAll: { items: [a3] } } },
      /item v\/b: no order .*ITEM_NOT_FOUND/,
    ],
    [
      "a feed that skips a change",
      { results: { feed: { items: [b2] } } },
      /the list of v .* omits the item a, which has been at sequence 5 since/,
    ],
    [
      "a list that repeats an item",
      { results: { listAll: { items: [b2, a3, a3] } } },
      /the list of v .* shows the item a twice/,
    ],
    [
      "a list that invents an item",
      { results: { feed: { items: [b2, { ...a3, itemId: "c" }] } } },
      /the item c at version 3 with sequence 5, which is not stored/,
    ],
    [
      "a list with an older state of an item",
      { results: { listAll: { items: [a1, b2] } } },
      /sequence 1 of the item a, which sequence 3 had replaced/,
    ],
    [
      "a page with a change from before it",
      { results: { feed: { items: [{ ...b2, version: 1, sequence: 2, content: "b1" }, a3] } } },
      /sequence 2, which is not between 2 and 5/,
    ],
    [
      "a head below an acknowledged sequence",
      { again: [["listDeleted", {}]] },
      /the list of v .* has the cursor 4, which is older than sequence 5, but .* had shown sequence 5 before/,
    ],
    [
      "a head above every change",
      { results: { listAll: { cursor: 6 } } },
      /has the cursor 6, but the head of the vault is 5/,
    ],
    // What is stored, against what clients were told and have asked for.
    [
      "a put stored as a deletion",
      {
        stored: all(
          rows("changes", b2Stored(), { state: "deleted" }),
          rows("audit", { requestId: "r-5" }, { event: "deleted" }),
        ),
      },
      /the put of v\/b .* shows version 2 as live, but version 2 is stored as deleted/,
    ],
    [
      "a change that nobody asked for",
      {
        stored: all(
          added("changes", lastOfA, { version: 4, sequence: 6 }),
          added("audit", lastRecordOfA, { versionAfter: 4, requestId: "x" }),
          rows("vaults", {}, { sequence: 6 }),
        ),
      },
      /v\/a: version 4 is stored as live with sequence 6, but no call .* asked for it/,
    ],
    [
      "a change that only a rejected call asked for",
      {
        stored: all(
          added("changes", b2Stored(), { version: 3, state: "deleted", sequence: 6 }),
          added("audit", { requestId: "r-5" }, { versionAfter: 3, event: "deleted", requestId: "r-7" }),
          rows("vaults", {}, { sequence: 6 }),
        ),
      },
      /v\/b: version 3 is stored as deleted with sequence 6, but no call .* asked for it/,
    ],
    [
      "a sequence issued twice",
      { results: { replaceB: { sequence: 3 } } },
      /the put of v\/b .* shows version 2 with sequence 3, but version 2 is stored with 4/,
    ],
    ["a sequence that is missing", { stored: rows("changes", lastOfA, { sequence: 6 }) }, /v: sequence 6 follows 4/],
    ["a version that is missing", { stored: rows("changes", lastOfA, { version: 4 }) }, /v\/a: version 4 follows 2/],
    [
      "changes that were committed in another order",
      { stored: ({ changes }) => ({ changes: changes.toReversed() }) },
      /v: sequence 5 follows 0/,
    ],
    [
      "a vault behind its changes",
      { stored: rows("vaults", {}, { sequence: 4 }) },
      /the vault is at sequence 4, and its last change at 5/,
    ],
    ["a vault that is lost", { stored: () => ({ vaults: [] }) }, /v: the vault was called, and is not stored/],
    // The audit trail.
    [
      "a change without an audit record",
      { stored: rows("audit", lastRecordOfA, undefined) },
      /v\/a 3: the audit trail does not contain it/,
    ],
    [
      "an audit record without a change",
      { stored: added("audit", lastRecordOfA, { versionAfter: 4, requestId: "x" }) },
      /v\/a 4: the audit trail contains it, the history does not/,
    ],
    [
      "an audit record twice",
      { stored: added("audit", lastRecordOfA, { requestId: "x" }) },
      /v\/a 3: the audit trail contains it twice/,
    ],
    [
      "an audit record of another event",
      { stored: rows("audit", lastRecordOfA, { event: "deleted" }) },
      /v\/a 3: the audit trail says deleted, the history live/,
    ],
    [
      "two effects of one request",
      { stored: rows("audit", lastRecordOfA, { requestId: "r-5" }) },
      /request r-5 had two effects/,
    ],
    [
      "a changed audit record",
      { stored: rows("audit", { position: 2 }, { event: "disabled" }) },
      /the seal of platform at 2 has the digest .*, and its records have/,
    ],
    [
      "a removed audit record",
      { stored: rows("audit", { position: 3 }, undefined) },
      /the seal of t at 3 covers 1 records, and the audit trail has 0/,
    ],
    [
      "a removed seal",
      { stored: rows("seals", { position: 2 }, undefined) },
      /the seal of platform at 4 continues position 2, and the seal before it is at 0/,
    ],
    [
      "a changed seal",
      { stored: rows("seals", { position: 3 }, { trail: "f".repeat(64) }) },
      /the seal of t at 3 has the trail f+, and the seals up to it have/,
    ],
    [
      "a changed seal of a tenant that has arrived",
      { stored: (stored) => ({ seals: [...stored.seals, ...arrived(stored, { digest: "f".repeat(64) })] }) },
      /the seal of t at 3 has the digest f+, and its records have/,
    ],
    [
      "a seal of another month",
      { stored: rows("seals", { position: 4 }, { month: "2026-10" }) },
      /the seal of platform at 4 is of 2026-10, and covers/,
    ],
    // Device codes, sign-ins and accounts.
    [
      "a retry with an Idempotency-Key that was applied twice",
      { results: { exchangeAgain: { tokens: "other" } } },
      /code code: no order of the calls explains .*"exchange"/,
    ],
    [
      "a lost grant",
      { stored: rows("grants", { grantId: "g" }, undefined) },
      /code code has the grant g, which is not stored/,
    ],
    [
      "tokens of another grant",
      { stored: rows("grants", { grantId: "g" }, { brokerTokenId: "other" }) },
      /tokens that its grant does not contain/,
    ],
    [
      "a code that is not consumed",
      { stored: rows("authorizations", {}, { state: "approved" }) },
      /code code is approved, with the grant "g"/,
    ],
    [
      "a code that nobody has exchanged",
      { without: ["exchange", "exchangeAgain"] },
      /code code is consumed, but no exchange .* asked for it/,
    ],
    [
      "a grant of two codes",
      { stored: added("authorizations", {}, { codeHash: "other" }) },
      /grant g belongs to two codes/,
    ],
    [
      "a grant without a code",
      { stored: rows("grants", { grantId: "h" }, { brokerTokenId: "b" }) },
      /grant h has a broker token, but no code/,
    ],
    [
      "a grant that is not audited",
      { stored: rows("audit", { subject: "grant:g" }, undefined) },
      /grant g is not in the audit trail/,
    ],
    [
      "a lost revocation",
      { stored: () => ({ revocations: [] }) },
      /the acknowledged revocation of the tokens of code code is lost/,
    ],
    [
      "a revoked token that is accepted later",
      { results: { useLater: { ok: true } } },
      /session s: a use at \d+ succeeded, but the revocation was acknowledged at/,
    ],
    [
      "two successors of one refresh token",
      { results: { refreshAgain: { token: "t2" } } },
      /session s: no order of the calls explains .*"refresh".*"t2"/,
    ],
    [
      "a sign-in that nobody has ended",
      { results: { refreshAgain: { ok: false, reason: "invalid_grant" } } },
      /session s: no order of the calls explains .*invalid_grant/,
    ],
    [
      "a revoked sign-in that goes on",
      { again: [["refresh", { token: "t2" }]] },
      /session s: no order of the calls explains/,
    ],
    [
      "a lost account",
      { results: { signIn: { ok: false, reason: "SIGN_IN_FAILED" } } },
      /account p: no order of the calls explains .*SIGN_IN_FAILED/,
    ],
    // Budgets of deletions.
    [
      "a deletion beyond the budget",
      { stored: rows("delegations", {}, { allowed: 0 }) },
      /the delegation of code code allows 0 deletions, and 1 are stored/,
    ],
    [
      "a deletion that is not counted",
      { stored: rows("delegations", {}, { used: 0 }) },
      /the delegation of code code counts 0 deletions, and 1 are stored/,
    ],
    [
      "a retry that is counted",
      { stored: rows("delegations", {}, { used: 2 }) },
      /the delegation of code code counts 2 deletions, and 1 are stored/,
    ],
    [
      "a rejection before the budget is used",
      { again: [["exhausted", {}, createRightHistory().calls.createD.begunAt + 1]] },
      /allows 1 deletions, and at most 0 were made before the deletion of w\/d .* was rejected/,
    ],
    [
      "a deletion after the budget is used",
      { again: [["exhausted", {}, createRightHistory().calls.createD.begunAt + 1]] },
      /w\/c was deleted at \d+ at the earliest, after the deletion of w\/d .* was told that the budget .* is used/,
    ],
    [
      "a rejection with a budget that is not used",
      { results: { exhausted: { used: 0 } } },
      /allows 1 deletions, but 1 calls were told something else, such as the deletion of w\/d .*: 0 of 1 are used/,
    ],
    [
      "a retry that is rejected because of the budget",
      { results: { deleteCAgain: { ok: false, reason: "DELEGATION_EXHAUSTED" } } },
      /item w\/c: no order of the calls explains .*"delete".*DELEGATION_EXHAUSTED/,
    ],
    [
      "a lost delegation",
      { stored: () => ({ delegations: [] }) },
      /the delegation of code code is not stored, and calls were made with it/,
    ],
    [
      "a run without a success",
      { minimum: 1, without: Object.keys(createRightHistory().calls) },
      /"item put" succeeded 0 times/,
    ],
    [
      "a run in which one kind of call never succeeded",
      { minimum: 1, without: ["revokeSession"] },
      /"session revoke" succeeded 0 times/,
    ],
  ])("%s", (_, planted, message) => {
    expect(plant(planted)).toMatch(message);
  });
});

function b2Stored() {
  return { vaultId: "v", itemId: "b", version: 2 };
}

interface Drawn {
  readonly kind: "put" | "delete" | "restore" | "get" | "list";
  readonly itemId: string;
  /** Whether the base version is the current one. */
  readonly right: boolean;
  readonly before: number;
  readonly after: number;
  readonly fate: "answered" | "lost" | "lost before its effect" | "repeated";
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom("put", "put", "delete", "restore", "get", "list"),
  itemId: fc.constantFrom("a", "b", "c"),
  right: fc.boolean(),
  before: fc.nat(40),
  after: fc.nat(40),
  fate: fc.constantFrom("answered", "answered", "answered", "lost", "lost before its effect", "repeated"),
});

/** Makes calls on a vault one after the other, and lets them overlap around their effects. */
function record(draws: readonly Drawn[]): { readonly calls: readonly RecordedCall[]; readonly stored: Stored } {
  const vault = createSerialVault("v");
  const versions = new Map<string, number>();
  const calls = draws.flatMap(({ kind, itemId, right, before, after, fate }, index): RecordedCall[] => {
    const at = index * 20;
    const requestId = `r-${index}`;
    const answeredAt = (effect: number) => ({
      requestId,
      begunAt: effect - before,
      endedAt: effect + after,
      refused: undefined,
    });
    const answer = { ...answeredAt(at), lost: undefined };
    if (kind === "list") {
      const from = right ? 0 : index % 5;
      return [
        {
          request: { on: "vault", vaultId: "v", kind, after: from },
          result: vault.list(from, 1 + (before % 4)),
          ...answer,
        },
      ];
    }
    const baseVersion = (versions.get(itemId) ?? 0) - (right ? 0 : 1);
    const made: ItemRequest =
      kind === "get" ? { kind } : kind === "put" ? { kind, baseVersion, content: requestId } : { kind, baseVersion };
    const request = { on: "item", vaultId: "v", itemId, ...made } as const;
    if (fate === "lost before its effect") return [{ request, ...answer, result: undefined, lost: "reset" }];
    const result = vault.call(itemId, made, requestId);
    if (result.ok) versions.set(itemId, result.version);
    if (fate === "lost") return [{ request, ...answer, result: undefined, lost: "reset" }];
    const first = { request, result, ...answer };
    if (fate !== "repeated") return [first];
    return [first, { request, result: vault.call(itemId, made, requestId), ...answer, ...answeredAt(at + 10) }];
  });
  const nothing = { seals: [], authorizations: [], grants: [], delegations: [], revocations: [] };
  const { changes, audit } = vault;
  return { calls, stored: { ...nothing, vaults: [{ vaultId: "v", sequence: changes.length }], changes, audit } };
}

describe("the checks accept", () => {
  it("a small history of every kind of call", () => {
    expect(plant({})).toBe("");
  });

  it("any history of a vault whose calls took effect one after the other, however they overlap and whatever was lost", () => {
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 60 }), (draws) => {
        const { calls, stored } = record(draws);
        expect(verify(calls, stored, options).violations).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("the seals that another cell has made for a tenant, after the tenant has come back", () => {
    const { calls, stored } = createRightHistory();
    const seals = [...stored.seals, ...arrived(stored)];
    expect(verify(Object.values(calls), { ...stored, seals }, options).violations).toEqual([]);
  });

  it("calls that were rejected before they had an effect", () => {
    const refused = { ...createRightHistory().calls.deleteA, result: undefined, refused: "UNAUTHENTICATED" };
    const { calls, stored } = createRightHistory();
    const made = [...Object.values(calls), refused as RecordedCall];
    expect(verify(made, stored, options).violations).toEqual([]);
  });
});

it("the checks find a sequence that is issued again after a loss of changes", () => {
  const { calls, stored } = createRightHistory();
  const losesUntil = calls.replaceB.endedAt;
  const { violations } = verify(Object.values(calls), stored, { ...options, losesUntil });
  expect(violations).toContainEqual(
    expect.stringMatching(/v: sequence 4 was told at \d+, and sequence 4 before the loss/),
  );
});

describe("the history file", () => {
  it("contains everything that the checks need", async () => {
    const folder = mkdtempSync(join(tmpdir(), "history-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { calls, stored } = createRightHistory();
    const lost = { ...calls.readA, endedAt: Number.POSITIVE_INFINITY, result: undefined, lost: "the client ended" };
    const history = {
      title: "a run",
      options,
      calls: [...Object.values(calls), lost as RecordedCall].sort((a, b) => a.begunAt - b.begunAt),
      stored,
    };
    await writeHistory(join(folder, "history.jsonl"), history);
    expect(await readHistory(join(folder, "history.jsonl"))).toEqual(history);
    await expect(readHistory(import.meta.filename)).rejects.toThrow();
  });
});
