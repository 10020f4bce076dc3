import type { RecordedCall } from "../history/read-journals.ts";
import type { Stored } from "./stored.ts";

/** Lists codes that were exchanged twice, and tokens without a stored grant. */
export function* findWrongGrants(calls: readonly RecordedCall[], stored: Stored): Generator<string> {
  const { authorizations, grants, audit, revocations } = stored;
  const byId = new Map(grants.map((grant) => [grant.grantId, grant]));
  const byCode = new Map(authorizations.map((authorization) => [authorization.codeHash, authorization]));
  const consumed = new Map<string, string>();
  for (const { codeHash, state, grantId } of authorizations) {
    if ((state === "consumed") !== (grantId !== "")) yield `code ${codeHash} is ${state}, with the grant "${grantId}"`;
    if (grantId === "") continue;
    if (consumed.has(grantId)) yield `grant ${grantId} belongs to two codes`;
    consumed.set(grantId, codeHash);
    if (!byId.has(grantId)) yield `code ${codeHash} has the grant ${grantId}, which is not stored`;
  }
  for (const { grantId, brokerTokenId } of grants) {
    if (brokerTokenId !== "" && !consumed.has(grantId)) yield `grant ${grantId} has a broker token, but no code`;
  }
  const granted = audit.filter(({ event }) => event === "granted").map(({ subject }) => subject);
  const inAudit = new Set(granted);
  if (inAudit.size !== granted.length) yield "the audit trail contains a grant twice";
  for (const { grantId } of grants) {
    if (!inAudit.has(`grant:${grantId}`)) yield `grant ${grantId} is not in the audit trail`;
  }
  yield* findTokensWithoutGrant(calls, byCode, byId, new Set(revocations));
}

function* findTokensWithoutGrant(
  calls: readonly RecordedCall[],
  codes: ReadonlyMap<string, Stored["authorizations"][number]>,
  grants: ReadonlyMap<string, Stored["grants"][number]>,
  revoked: ReadonlySet<string>,
): Generator<string> {
  const accessTokenIds = new Set([...grants.values()].map(({ accessTokenId }) => accessTokenId));
  for (const { request, result } of calls) {
    if (request.on === "token" && result?.ok && "tokenIds" in result) {
      const [id = ""] = result.tokenIds ?? [];
      if (!accessTokenIds.has(id)) yield `the issued token ${id} has no grant`;
    }
    if (request.on !== "code" || !result?.ok || !("status" in result)) continue;
    const code = codes.get(request.codeHash);
    if (request.kind === "revoke" && !revoked.has(code?.grantId ?? "")) {
      yield `the acknowledged revocation of the tokens of code ${request.codeHash} is lost`;
    }
    if (result.status !== "approved" || result.tokenIds === undefined) continue;
    const grant = grants.get(code?.grantId ?? "");
    const [accessTokenId, brokerTokenId] = result.tokenIds;
    if (grant?.accessTokenId !== accessTokenId || grant?.brokerTokenId !== brokerTokenId) {
      yield `code ${request.codeHash} was exchanged for tokens that its grant does not contain`;
    }
  }
}
