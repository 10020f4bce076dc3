import type { ItemRequest, ItemResult } from "@platform-rpc/server/testing";
import type { AuditRow, AuditSeal, Stored } from "../../history/history-file.ts";
import type { CallOn, RecordedCall } from "../../history/journal.ts";
import { createSerialVault } from "./serial-vault.ts";

const by = { tenantId: "platform", principalId: "", oauthClientId: "", tokenId: "", operation: "admin-access" };
const row = (position: number, subjectTenantId: string, subject: string, event: string): AuditRow => ({
  ...{ position, at: 1_795_357_800_000 + position, subjectTenantId, subject, event, versionBefore: 0, versionAfter: 0 },
  ...{ ...by, requestId: `s-${position}` },
});

const sealedRows: readonly AuditRow[] = [
  row(1, "platform", "principal:admin", "activated"),
  row(2, "platform", "oauth-client:admin", "enabled"),
  row(3, "t", "principal:p", "activated"),
  row(4, "platform", "principal:other", "activated"),
];

/** The seals of these records, computed by the Python program of docs/operate/audit.md, "Export it". */
const seals: readonly AuditSeal[] = [
  {
    ...{ subjectTenantId: "platform", previousPosition: 0, position: 2, rows: 2, month: "2026-11" },
    digest: "a5fcb79998384fe0e1d2ee4da09d8f67d62fa9b678cfefdfb6e1318edfe0c4af",
    trail: "7459434534e6baca0ff24b20a46ff821f6bc61bd24fe36a4fb1059a0b11ed75a",
  },
  {
    ...{ subjectTenantId: "t", previousPosition: 0, position: 3, rows: 1, month: "2026-11" },
    digest: "127e4397272b96655127032e0d77af0e09b68e8bf03a74aa387b0b5dcea180e6",
    trail: "4f35284c302fcd434df86485525634cef396a7dca623cf1a82a7715746638b98",
  },
  {
    ...{ subjectTenantId: "platform", previousPosition: 2, position: 4, rows: 1, month: "2026-11" },
    digest: "535082e9856700a49863d25e98b94c09b50ae394f22c8948aad61644bbda070e",
    trail: "86517444fb6de0ead0b1972ddeaad808f51ee65ea7e546f8982dacfff72e5c63",
  },
];

/** Creates a small history without a contradiction: calls one after the other, one each second, and what is stored after them. */
export function createRightHistory() {
  const vault = createSerialVault("v", sealedRows.length + 1);
  let at = 0;
  const times = () => {
    at += 1_000_000;
    return { begunAt: at, endedAt: at + 100, lost: undefined, refused: undefined };
  };
  const callOn = (
    at: { readonly vaultId: string; readonly itemId: string; readonly delegation?: string },
    request: ItemRequest,
    requestId: string,
    result: ItemResult,
  ): CallOn<"item"> => {
    const body = result.ok ? { body: JSON.stringify(result) } : {};
    return { request: { on: "item", ...at, ...request }, result: { ...result, ...body }, requestId, ...times() };
  };
  const item = (itemId: string, request: ItemRequest, requestId: string) =>
    callOn({ vaultId: "v", itemId }, request, requestId, vault.call(itemId, request, requestId));
  const list = (after: number): CallOn<"vault"> => ({
    request: { on: "vault", vaultId: "v", kind: "list", after },
    ...{ result: vault.list(after), requestId: "", ...times() },
  });
  const callOf = <Call extends RecordedCall>(request: Call["request"], result: Call["result"]) =>
    ({ request, result, requestId: "", ...times() }) as Call;
  const code = (request: object, result: CallOn<"code">["result"]) =>
    callOf<CallOn<"code">>({ on: "code", codeHash: "code", ...request } as CallOn<"code">["request"], result);
  const session = (request: object, result: CallOn<"session">["result"]) =>
    callOf<CallOn<"session">>({ on: "session", sessionId: "s", ...request } as CallOn<"session">["request"], result);
  const put = (baseVersion: number, content: string) => ({ kind: "put", baseVersion, content }) as const;
  const tokens = { ok: true, status: "approved", tokens: "digest", tokenIds: ["access", "broker"] } as const;
  const calls = {
    rejectedEarly: item("b", put(1, "early"), "r-0"),
    createA: item("a", put(0, "a1"), "r-1"),
    createB: item("b", put(0, "b1"), "r-2"),
    readBefore: item("b", { kind: "get" }, ""),
    deleteA: item("a", { kind: "delete", baseVersion: 1 }, "r-3"),
    deleteAgain: item("a", { kind: "delete", baseVersion: 1 }, "r-4"),
    replaceB: item("b", put(1, "b2"), "r-5"),
    listDeleted: list(0),
    restoreA: item("a", { kind: "restore", baseVersion: 2 }, "r-6"),
    conflict: item("b", { kind: "delete", baseVersion: 1 }, "r-7"),
    feed: list(2),
    readA: item("a", { kind: "get" }, ""),
    readB: item("b", { kind: "get" }, ""),
    listAll: list(0),
    approve: code({ kind: "approve" }, { ok: true, status: "approve" }),
    exchange: code({ kind: "exchange", own: true, key: "k" }, tokens),
    exchangeAgain: code({ kind: "exchange", own: true, key: "k" }, tokens),
    revoke: code({ kind: "revoke" }, { ok: true, status: "revoke" }),
    issue: callOf<CallOn<"token">>({ on: "token", kind: "issue" }, { ok: true, tokenId: "issued" }),
    start: session({ kind: "start" }, { ok: true, token: "t0" }),
    refresh: session({ kind: "refresh", token: "t0" }, { ok: true, token: "t1" }),
    refreshAgain: session({ kind: "refresh", token: "t0" }, { ok: true, token: "t1" }),
    use: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: true }),
    revokeSession: session({ kind: "revoke" }, { ok: true }),
    useLate: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: false, reason: "UNAUTHENTICATED" }),
    useLater: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: false, reason: "UNAUTHENTICATED" }),
    signUp: callOf<CallOn<"account">>({ on: "account", accountId: "p", kind: "create" }, { ok: true }),
    signIn: callOf<CallOn<"account">>({ on: "account", accountId: "p", kind: "sign-in" }, { ok: true }),
  };
  const other = createSerialVault("w", sealedRows.length + vault.audit.length + 1);
  const create = (itemId: string, requestId: string) => {
    const request = put(0, itemId);
    return callOn({ vaultId: "w", itemId }, request, requestId, other.call(itemId, request, requestId));
  };
  const deletion = { kind: "delete", baseVersion: 1 } as const;
  const delegated = (itemId: string) => ({ vaultId: "w", itemId, delegation: "code" });
  const remove = (itemId: string, requestId: string) =>
    callOn(delegated(itemId), deletion, requestId, other.call(itemId, deletion, requestId));
  const exhausted = { ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 1, used: 1 } as const;
  const delegatedCalls = {
    createC: create("c", "r-8"),
    createD: create("d", "r-9"),
    deleteC: remove("c", "r-10"),
    deleteCAgain: remove("c", "r-11"),
    exhausted: callOn(delegated("d"), deletion, "r-12", exhausted),
  };
  const last = sealedRows.length + vault.audit.length + other.audit.length;
  const granted = (position: number, subject: string): AuditRow => ({
    ...{ position, at: 0, subjectTenantId: "t", subject, event: "granted", versionBefore: 0, versionAfter: 0 },
    ...{ tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "", operation: "o", requestId: `r-${subject}` },
  });
  const stored: Stored = {
    vaults: [
      { vaultId: "v", sequence: vault.changes.length },
      { vaultId: "w", sequence: other.changes.length },
    ],
    changes: [...vault.changes, ...other.changes],
    audit: [...sealedRows, ...vault.audit, ...other.audit, granted(last + 1, "grant:g"), granted(last + 2, "grant:h")],
    seals,
    authorizations: [{ codeHash: "code", state: "consumed", grantId: "g" }],
    grants: [
      { grantId: "g", accessTokenId: "access", brokerTokenId: "broker" },
      { grantId: "h", accessTokenId: "issued", brokerTokenId: "" },
    ],
    delegations: [{ delegationId: "g", allowed: 1, used: 1 }],
    revocations: ["g"],
  };
  return { calls: { ...calls, ...delegatedCalls }, stored };
}
