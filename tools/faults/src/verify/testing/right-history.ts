import type { ItemRequest } from "@platform-rpc/server/testing";
import type { CallOn, RecordedCall } from "../../history/journal.ts";
import type { AuditRow, Stored } from "../../history/stored.ts";
import { sealedRows, seals } from "./sealed-rows.ts";
import { createSerialVault } from "./serial-vault.ts";

/** Creates a small history without a contradiction: calls one after the other, one each second, and what is stored after them. */
export function createRightHistory() {
  const vault = createSerialVault("v", sealedRows.length + 1);
  let at = 0;
  const times = () => {
    at += 1_000_000;
    return { begunAt: at, endedAt: at + 100, lost: undefined, refused: undefined };
  };
  const item = (itemId: string, request: ItemRequest, requestId: string): CallOn<"item"> => {
    const result = vault.call(itemId, request, requestId);
    const body = result.ok ? { body: JSON.stringify(result) } : {};
    return {
      request: { on: "item", vaultId: "v", itemId, ...request },
      result: { ...result, ...body },
      requestId,
      ...times(),
    };
  };
  const list = (after: number): CallOn<"vault"> => ({
    request: { on: "vault", vaultId: "v", kind: "list", after },
    ...{ result: vault.list(after, 10), requestId: "", ...times() },
  });
  const other = <Call extends RecordedCall>(request: Call["request"], result: Call["result"]) =>
    ({ request, result, requestId: "", ...times() }) as Call;
  const code = (request: object, result: CallOn<"code">["result"]) =>
    other<CallOn<"code">>({ on: "code", codeHash: "code", ...request } as CallOn<"code">["request"], result);
  const session = (request: object, result: CallOn<"session">["result"]) =>
    other<CallOn<"session">>({ on: "session", sessionId: "s", ...request } as CallOn<"session">["request"], result);
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
    issue: other<CallOn<"token">>({ on: "token", kind: "issue" }, { ok: true, tokenId: "issued" }),
    start: session({ kind: "start" }, { ok: true, token: "t0" }),
    refresh: session({ kind: "refresh", token: "t0" }, { ok: true, token: "t1" }),
    refreshAgain: session({ kind: "refresh", token: "t0" }, { ok: true, token: "t1" }),
    use: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: true }),
    revokeSession: session({ kind: "revoke" }, { ok: true }),
    useLate: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: false, reason: "UNAUTHENTICATED" }),
    useLater: session({ kind: "use", access: "x1", issuedWith: "t1" }, { ok: false, reason: "UNAUTHENTICATED" }),
    signUp: other<CallOn<"account">>({ on: "account", accountId: "p", kind: "create" }, { ok: true }),
    signIn: other<CallOn<"account">>({ on: "account", accountId: "p", kind: "sign-in" }, { ok: true }),
  };
  const last = sealedRows.length + vault.audit.length;
  const granted = (position: number, subject: string): AuditRow => ({
    ...{ position, at: 0, subjectTenantId: "t", subject, event: "granted", versionBefore: 0, versionAfter: 0 },
    ...{ tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "", operation: "o", requestId: `r-${subject}` },
  });
  const stored: Stored = {
    vaults: [{ vaultId: "v", sequence: vault.changes.length }],
    changes: vault.changes,
    audit: [...sealedRows, ...vault.audit, granted(last + 1, "grant:g"), granted(last + 2, "grant:h")],
    seals,
    authorizations: [{ codeHash: "code", state: "consumed", grantId: "g" }],
    grants: [
      { grantId: "g", accessTokenId: "access", brokerTokenId: "broker" },
      { grantId: "h", accessTokenId: "issued", brokerTokenId: "" },
    ],
    revocations: ["g"],
  };
  return { calls, stored };
}
