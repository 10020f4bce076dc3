import { describe, expect, it } from "vitest";
import type { RecordedRequest, RecordedResult } from "../history/journal.ts";
import type { RecordedCall } from "../history/read-journals.ts";
import type { Stored } from "./stored.ts";
import { verify } from "./verify.ts";

let clock = 0;
function call(request: RecordedRequest, result: RecordedResult | undefined): RecordedCall {
  clock += 10;
  return { request, result, requestId: "", begunAt: clock, endedAt: clock + 5, lost: undefined, refused: undefined };
}

const item = { on: "item", vaultId: "v", itemId: "i" } as const;
const put = call(
  { ...item, kind: "put", baseVersion: 0, content: "a" },
  { ok: true, version: 1, deleted: false, sequence: 1, content: "a" },
);
const remove = call(
  { ...item, kind: "delete", baseVersion: 1 },
  { ok: true, version: 2, deleted: true, sequence: 2, content: "a" },
);
const code = { on: "code", codeHash: "code" } as const;
const approve = call({ ...code, kind: "approve" }, { ok: true, status: "approve" });
const exchange = call(
  { ...code, kind: "exchange", own: true },
  { ok: true, status: "approved", tokens: "digest", tokenIds: ["access", "broker"] },
);
const revoke = call({ ...code, kind: "revoke" }, { ok: true, status: "revoke" });
const calls = [put, remove, approve, exchange, revoke];

const change = { vaultId: "v", itemId: "i", version: 1, state: "live", sequence: 1 };
const deletion = { vaultId: "v", itemId: "i", version: 2, state: "deleted", sequence: 2 };
const created = { subject: "item:v/i", event: "created", versionAfter: 1, requestId: "r-1" };
const deleted = { subject: "item:v/i", event: "deleted", versionAfter: 2, requestId: "r-2" };
const granted = { subject: "grant:g", event: "granted", versionAfter: 3, requestId: "r-3" };
const authorization = { codeHash: "code", state: "consumed", grantId: "g" };
const grant = { grantId: "g", accessTokenId: "access", brokerTokenId: "broker" };
const stored: Stored = {
  vaults: [{ vaultId: "v", sequence: 2 }],
  changes: [change, deletion],
  audit: [created, deleted, granted],
  authorizations: [authorization],
  grants: [grant],
  revocations: ["g"],
};

const violations = (changed: Partial<Stored>, made = calls) =>
  verify(made, { ...stored, ...changed }, false).violations;

describe("the checks", () => {
  it("accept a database that contains what clients were told", () => {
    expect(violations({})).toEqual([]);
  });

  it.each<[string, Partial<Stored>, RegExp]>([
    [
      "a lost change",
      { changes: [change], vaults: [{ vaultId: "v", sequence: 1 }], audit: [created, granted] },
      /acknowledged version 2 is lost/,
    ],
    ["another sequence", { changes: [change, { ...deletion, sequence: 3 }] }, /sequence 3 follows 1/],
    ["changes out of order", { changes: [deletion, change] }, /sequence 2 follows 0/],
    ["a version that is missing", { changes: [change, { ...deletion, version: 3 }] }, /version 3 follows 1/],
    ["a vault behind its changes", { vaults: [{ vaultId: "v", sequence: 1 }] }, /the vault is at sequence 1/],
    ["a change without an audit record", { audit: [created, granted] }, /does not contain it/],
    [
      "an audit record without a change",
      { audit: [...stored.audit, { ...deleted, versionAfter: 3 }] },
      /history does not/,
    ],
    ["an audit record twice", { audit: [...stored.audit, { ...deleted, requestId: "r-4" }] }, /contains it twice/],
    [
      "an audit record of another event",
      { audit: [{ ...created, event: "deleted" }, deleted, granted] },
      /history live/,
    ],
    ["two effects of one request", { audit: [created, { ...deleted, requestId: "r-1" }, granted] }, /had two effects/],
    ["a lost grant", { grants: [] }, /the grant g, which is not stored/],
    ["tokens of another grant", { grants: [{ ...grant, brokerTokenId: "other" }] }, /tokens that its grant does not/],
    [
      "a code that is not consumed",
      { authorizations: [{ ...authorization, state: "approved" }] },
      /code code is approved/,
    ],
    [
      "a grant of two codes",
      { authorizations: [authorization, { ...authorization, codeHash: "other" }] },
      /belongs to two codes/,
    ],
    [
      "a grant without a code",
      { grants: [grant, { ...grant, grantId: "h" }] },
      /grant h has a broker token, but no code/,
    ],
    ["a grant that is not audited", { audit: [created, deleted] }, /is not in the audit trail/],
    ["a lost revocation", { revocations: [] }, /acknowledged revocation/],
  ])("find %s", (_, changed, found) => {
    expect(violations(changed).join("\n")).toMatch(found);
  });

  it("find a sequence that is not in the order of the calls", () => {
    const swapped = [
      { ...put, result: { ok: true, version: 1, deleted: false, sequence: 2, content: "a" } } as const,
      { ...remove, result: { ok: true, version: 2, deleted: true, sequence: 1, content: "a" } } as const,
    ];
    expect(violations({}, swapped).join("\n")).toMatch(/sequence 1 was assigned to a call that began after sequence 2/);
  });

  it("find a read that contradicts an acknowledged change", () => {
    const read = call({ ...item, kind: "get" }, put.result);
    expect(violations({}, [...calls, read]).join("\n")).toMatch(/item v\/i: no order of the calls explains .*"get"/);
  });

  it("ignore calls that were rejected before they had an effect", () => {
    const refused = { ...call({ ...item, kind: "delete", baseVersion: 2 }, undefined), refused: "UNAUTHENTICATED" };
    expect(violations({}, [...calls, refused])).toEqual([]);
  });
});
