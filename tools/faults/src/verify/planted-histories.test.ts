import { describe, expect, it } from "vitest";
import type { Stored, VerifyOptions } from "../history/history-file.ts";
import type { RecordedCall } from "../history/journal.ts";
import { createRightHistory } from "./testing/right-history.ts";
import { verify } from "./verify.ts";

interface Planted {
  /** Other results of calls, by their names. */
  readonly results?: Readonly<Record<string, object>>;
  readonly without?: readonly string[];
  /** A call that is repeated with another result: at the end, or at a time. */
  readonly again?: readonly [name: string, result: object, at?: number];
  readonly stored?: (stored: Stored) => Partial<Stored>;
  readonly options?: Partial<VerifyOptions>;
}

const right = createRightHistory();
const named: Readonly<Record<string, RecordedCall>> = right.calls;
const options: VerifyOptions = { clockMoves: false, minimum: 0, losesUntil: 0 };

function violationsOf({ results = {}, without = [], again, stored, options: more }: Planted): string {
  const calls = Object.entries(named)
    .filter(([name]) => !without.includes(name))
    .map(([name, call]) => withResult(call, results[name]));
  if (again !== undefined) {
    const [name, result, at = right.calls.exhausted.endedAt + 10_000_000] = again;
    const call = withResult(named[name] ?? right.calls.exhausted, result);
    calls.push({ ...call, begunAt: at, endedAt: at + 1 });
  }
  const rows = { ...right.stored, ...stored?.(right.stored) };
  return verify(calls, rows, { ...options, ...more }).violations.join("\n");
}

function withResult(call: RecordedCall, result: object | undefined): RecordedCall {
  return { ...call, result: { ...call.result, ...result } } as RecordedCall;
}

/** Returns a function that changes the rows of a table that have some values. `undefined` removes them. */
function rows(table: keyof Stored, where: object, change: object | undefined) {
  return (stored: Stored) => ({
    [table]: stored[table].flatMap((row) => {
      if (!matches(row, where)) return [row];
      return change === undefined ? [] : [Object.assign({}, row, change)];
    }),
  });
}

/** Returns a function that adds a row: another one that has some values, with a change. */
function added(table: keyof Stored, where: object, change: object) {
  return (stored: Stored) => {
    const other = stored[table].find((row) => matches(row, where));
    return { [table]: [...stored[table], Object.assign({}, other, change)] };
  };
}

function matches(row: object | string, where: object): boolean {
  return typeof row === "object" && Object.entries(where).every(([name, value]) => Reflect.get(row, name) === value);
}

/** Makes several changes of rows, one after the other. */
function all(...changes: readonly ((stored: Stored) => Partial<Stored>)[]) {
  return (stored: Stored) => {
    let changed = stored;
    for (const change of changes) changed = { ...changed, ...change(changed) };
    return changed;
  };
}

/** The seals of a tenant as those of another cell, from which it has arrived. */
const arrivedSeals = right.stored.seals
  .filter(({ subjectTenantId }) => subjectTenantId === "t")
  .map((seal) => ({ ...seal, trail: "0".repeat(64), arrived: true }));

const a3 = { vaultId: "v", itemId: "a", version: 3 };
const auditOfA3 = { subject: "item:v/a", versionAfter: 3 };
const listed = {
  a3: { itemId: "a", version: 3, deleted: false, sequence: 5, content: "a1" },
  b1: { itemId: "b", version: 1, deleted: false, sequence: 2, content: "b1" },
};
const createdD = right.calls.createD.begunAt + 1;

describe("the checks find", () => {
  it.each<[string, Planted, RegExp]>([
    [
      "a kind of call that never succeeded",
      { options: { minimum: 1 }, without: ["revokeSession"] },
      /"session revoke" succeeded 0 times/,
    ],

    // Linearizability: one of each object.
    [
      "a stale read",
      { results: { readA: { version: 2, deleted: true, sequence: 3 } } },
      /item v\/a: no order of the calls explains .*"get"/,
    ],
    [
      "an exchange that was applied twice",
      { results: { exchangeAgain: { tokens: "other" } } },
      /code code: no order of the calls explains .*"exchange"/,
    ],
    [
      "two successors of one refresh token",
      { results: { refreshAgain: { token: "t2" } } },
      /session s: no order of the calls explains .*"refresh".*"t2"/,
    ],
    [
      "a lost account",
      { results: { signIn: { ok: false, reason: "SIGN_IN_FAILED" } } },
      /account p: no order of the calls explains .*SIGN_IN_FAILED/,
    ],

    // Positions: each response, against the order of the stored changes.
    [
      "a lost update",
      { again: ["readB", listed.b1] },
      /the get of v\/b .* shows version 1, which is older than sequence 4, but .* had shown sequence 5/,
    ],
    [
      "a lost acknowledged put",
      {
        stored: all(
          rows("changes", a3, undefined),
          rows("audit", auditOfA3, undefined),
          rows("vaults", { vaultId: "v" }, { sequence: 4 }),
        ),
      },
      /the restore of v\/a .* shows version 3 with sequence 5, which is not stored: it was lost/,
    ],
    [
      "a change that took effect too early",
      {
        without: ["readBefore", "listDeleted", "feed", "listAll"],
        results: { deleteA: { sequence: 4 }, deleteAgain: { sequence: 4 }, replaceB: { sequence: 3 } },
        stored: all(
          rows("changes", { vaultId: "v", sequence: 4 }, { sequence: 3.5 }),
          rows("changes", { vaultId: "v", sequence: 3 }, { sequence: 4 }),
          rows("changes", { sequence: 3.5 }, { sequence: 3 }),
        ),
      },
      /v\/b: version 2 has sequence 3, but was asked for at \d+ at the earliest, after .* had shown sequence 4/,
    ],
    [
      "content of another call",
      { results: { readB: { content: "a1" } } },
      /content a1, but the call that made it has put b2/,
    ],
    [
      "a list that omits an item",
      { results: { listAll: { items: [listed.a3] } } },
      /the list of v .* omits the item b, which has been at sequence 4 since/,
    ],

    // Changes: what is stored, against what was asked for.
    ["a missing sequence", { stored: rows("changes", a3, { sequence: 6 }) }, /v: sequence 6 follows 4/],
    [
      "a change that nobody asked for",
      { stored: added("changes", a3, { version: 4, sequence: 6 }) },
      /v\/a: version 4 is stored as live with sequence 6, but no call .* asked for it/,
    ],
    [
      "a retry with another answer",
      { results: { deleteAgain: { body: "other" } } },
      /the delete of v\/a to version 2 was answered with different bodies/,
    ],
    [
      "a sequence that is issued again after a loss",
      { options: { losesUntil: right.calls.replaceB.endedAt } },
      /v: sequence 4 was told at \d+, and sequence 4 before the loss/,
    ],

    // The audit trail and its seals.
    [
      "a change without an audit record",
      { stored: rows("audit", auditOfA3, undefined) },
      /v\/a 3: the audit trail does not contain it/,
    ],
    [
      "two effects of one request",
      { stored: rows("audit", auditOfA3, { requestId: "r-5" }) },
      /request r-5 had two effects/,
    ],
    [
      "a changed audit record",
      { stored: rows("audit", { position: 2 }, { event: "disabled" }) },
      /the seal of platform at 2 has the digest .*, and its records have/,
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

    // Device codes, grants and revocations.
    [
      "a code that nobody has exchanged",
      { without: ["exchange", "exchangeAgain"] },
      /code code is consumed, but no exchange .* asked for it/,
    ],
    [
      "a lost grant",
      { stored: rows("grants", { grantId: "g" }, undefined) },
      /code code has the grant g, which is not stored/,
    ],
    [
      "a grant of two codes",
      { stored: added("authorizations", {}, { codeHash: "other" }) },
      /grant g belongs to two codes/,
    ],
    [
      "an issued token without a grant",
      { stored: rows("grants", { grantId: "h" }, { accessTokenId: "other" }) },
      /the issued token issued has no grant/,
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

    // Budgets of deletions.
    [
      "a deletion that is not counted",
      { stored: rows("delegations", {}, { used: 0 }) },
      /the delegation of code code counts 0 deletions, and 1 are stored/,
    ],
    [
      "a deletion beyond the budget",
      { stored: rows("delegations", {}, { allowed: 0 }) },
      /the delegation of code code allows 0 deletions, and 1 are stored/,
    ],
    [
      "a deletion after the budget is used",
      { again: ["exhausted", {}, createdD] },
      /w\/c was deleted at \d+ at the earliest, after .* was told that the budget .* is used/,
    ],
  ])("%s", (_, planted, message) => {
    expect(violationsOf(planted)).toMatch(message);
  });
});

describe("the checks accept", () => {
  const calls: readonly RecordedCall[] = Object.values(right.calls);
  const lost = { result: undefined, lost: "ECONNRESET", endedAt: Number.POSITIVE_INFINITY };
  const refused = { result: undefined, refused: "UNAUTHENTICATED" };

  it.each<[string, readonly object[], Partial<Stored>]>([
    ["calls that overlap", calls.map((call) => ({ ...call, begunAt: call.begunAt - 2_500_000 })), {}],
    [
      "a change whose answer was lost",
      calls.map((call) => (call === right.calls.replaceB ? { ...call, ...lost } : call)),
      {},
    ],
    ["a call that was rejected before it had an effect", [...calls, { ...right.calls.deleteA, ...refused }], {}],
    ["the seals of a tenant that has come back", calls, { seals: [...right.stored.seals, ...arrivedSeals] }],
  ])("%s", (_, made, stored) => {
    expect(verify(made as readonly RecordedCall[], { ...right.stored, ...stored }, options).violations).toEqual([]);
  });
});
