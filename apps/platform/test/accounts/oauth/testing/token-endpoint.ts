import { createPrivateKey } from "node:crypto";
import { deviceGrant, newKey } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { createAccountsSite } from "@platform-rpc/accounts/testing/accounts-site";
import {
  type CodeDriver,
  caseKeys,
  codeRedirectUri,
  codeResource,
  createDeviceOperationsDriver,
  type DeviceDriver,
  type FamilyAnswer,
  type FamilyDriver,
} from "@platform-rpc/server/testing";
import { decodeJwt } from "jose";
import { expect } from "vitest";
import { z } from "zod";
import { deleteScope, exchangeScope } from "./oauth-app.js";

const keys = new Map(
  Object.entries(caseKeys).map(([id, key]) => [id, newKey(createPrivateKey({ format: "jwk", key }))]),
);
/** The audiences of the platform in memory. */
const api = "https://a.example";
const broker = "https://b.example";
const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const retryKeys = { first: "0123456789abcdef", another: "fedcba9876543210", none: undefined };

const claims = z.object({
  jti: z.string(),
  sub: z.string(),
  client_id: z.string(),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  cnf: z.object({ jkt: z.string() }).optional(),
});
const tokens = z.strictObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  scope: z.string(),
  refresh_token: z.string().optional(),
});
const failure = z.strictObject({ error: z.string(), error_description: z.string().min(1) });

/** What a request sends besides its client and its form. */
interface Sent {
  /** The thumbprint of the key of which the request contains a proof; empty without a proof. */
  readonly proof: string;
  readonly idempotencyKey?: string | undefined;
}

/** The OAuth endpoints of the accounts listener, for the cases: those that a client calls for its tokens. */
export async function openTokenEndpoint() {
  const site = await createAccountsSite({
    tenantId: "t-1",
    rateLimiter: undefined,
    audience: api,
    brokerAudience: broker,
  });
  const { operations, storage, secrets, pass } = site;
  const clock = { now: site.clock.now, advance: pass, step: pass };
  const byOperations = await createDeviceOperationsDriver({ operations, storage, clock });
  const { approver, administrator, callerOf } = byOperations;
  const software = site.openBrowser();
  const clientId = callerOf({ operation: "Redeem" }).oauthClientId;
  const otherClientId = callerOf({ operation: "Redeem", by: "another client" }).oauthClientId;
  const owner = { tenantId: approver.tenantId, principalId: approver.principalId, oauthClientId: clientId };
  const callBy = (actor: Partial<typeof owner> = {}) => ({
    actor: { ...administrator, tokenId: "token-1", operation: "cases", requestId: "r-1", ...actor },
    wanted: () => true,
  });

  const send = async (path: string, form: Record<string, string | undefined>, { proof, idempotencyKey }: Sent) => {
    const present = Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const prove = (nonce?: string | null) =>
      keys.get(proof)?.prove(software.origin + path, { nonce, iat: Math.floor(clock.now() / 1000) });
    const attempt = async (DPoP: string | undefined) =>
      software.send(path, {
        form: Object.fromEntries(present),
        headers: {
          ...(DPoP !== undefined && { DPoP }),
          ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
        },
      });
    const first = await attempt(await prove());
    const nonce = first.headers.get("DPoP-Nonce");
    return nonce === null ? first : attempt(await prove(nonce));
  };
  const ask = async (form: Record<string, string | undefined>, sent: Sent) => {
    const { status, headers, body } = await send("/oauth/token", form, sent);
    expect(headers.get("Cache-Control")).toBe("no-store");
    if (status !== 200) {
      const { error } = failure.parse(body);
      expect(status).toBe(error === "invalid_client" ? 401 : 400);
      return { ok: false, reason: error } as const;
    }
    const { access_token, token_type, expires_in, scope, refresh_token = "" } = tokens.parse(body);
    const { jti, sub, client_id, aud, iat, exp, cnf } = claims.parse(decodeJwt(access_token));
    expect(expires_in).toBe(exp - Math.floor(clock.now() / 1000));
    // The API accepts its tokens as Bearer, whatever key they are bound to.
    expect(token_type).toBe(aud === broker && cnf !== undefined ? "DPoP" : "Bearer");
    const who = { tenantId: approver.tenantId, principalId: sub, oauthClientId: client_id };
    const { generation = 0 } = secrets.readRefreshToken(refresh_token) ?? {};
    const scopes = scope.split(" ").filter((each) => each !== "offline_access");
    return {
      ok: true,
      aud,
      popKeyId: cnf?.jkt ?? "",
      generation,
      refreshable: refresh_token !== "",
      tokens: `${access_token} ${refresh_token}`,
      grant: { ...who, scopes, issuedAt: iat, expiresAt: exp },
      accessTokenId: jti,
    } as const;
  };
  const refresh = async (
    token: Parameters<typeof secrets.refreshToken>[0],
    { proof, client_id = clientId, scope }: Sent & { readonly client_id?: string; readonly scope?: string | undefined },
  ): Promise<FamilyAnswer> => {
    const form = { grant_type: "refresh_token", client_id, refresh_token: secrets.refreshToken(token), scope };
    const answer = await ask(form, { proof });
    if (!answer.ok) return answer;
    const { generation, grant, accessTokenId } = answer;
    return { ok: true, generation, grant: { ...grant, accessTokenId } };
  };
  const revoke = async (familyId: string, client_id = clientId): Promise<boolean> => {
    const form = { token: secrets.refreshToken({ familyId, generation: 1 }), client_id };
    const { status, body } = await send("/oauth/revoke", form, { proof: "" });
    if (status !== 200) expect(failure.parse(body).error).toBe("unauthorized_client");
    return status === 200;
  };

  const device: DeviceDriver = {
    ...byOperations,
    // A client has no token yet, so that it has no principal either.
    callerOf: (call) => ({ ...callerOf(call), ...(call.operation === "Redeem" && { principalId: "" }) }),
    errorOf: (reason, proof) => (reason === "PRINCIPAL_DISABLED" ? "access_denied" : errorOf(reason, proof)),
    identifiesRetry: (call) => "key" in call || "proof" in call,
    async call(codes, call) {
      if (call.operation !== "Redeem") return byOperations.call(codes, call);
      const { deviceCode, idempotencyKey, caller } = byOperations.requestOf(codes, call);
      // The broker token shows the key.
      const form = {
        grant_type: deviceGrant,
        client_id: caller.oauthClientId,
        device_code: deviceCode,
        resource: broker,
      };
      const answer = await ask(form, { proof: call.proof ?? "", idempotencyKey });
      if (!answer.ok) return { reason: answer.reason };
      const { principalId, scopes, issuedAt, expiresAt } = answer.grant;
      const { tokens: signed, popKeyId } = answer;
      return { status: "approved", tokens: signed, scopes, principalId, popKeyId, issuedAt, expiresAt };
    },
  };

  const family: FamilyDriver = {
    ...byOperations,
    errorOf: (reason, proof) => (reason === "SCOPES_NOT_GRANTED" ? "invalid_scope" : errorOf(reason, proof)),
    async open(popKeyId) {
      const codes = await byOperations.start([deleteScope, exchangeScope], "");
      await byOperations.call(codes, { operation: "Approve", scopes: [deleteScope, exchangeScope] });
      const { deviceCode: device_code } = codes;
      const form = { grant_type: deviceGrant, client_id: clientId, device_code };
      const { status, body } = await send("/oauth/token", form, { proof: popKeyId });
      if (status !== 200) return expect.unreachable(JSON.stringify(body));
      const read = secrets.readRefreshToken(tokens.parse(body).refresh_token ?? "");
      const { familyId } = read ?? expect.unreachable("no refresh token");
      return {
        familyId,
        send: ({ refresh: generation, proof = popKeyId, by, scopes }) =>
          refresh(
            { familyId, generation },
            { proof, client_id: by === undefined ? clientId : otherClientId, scope: scopes?.join(" ") },
          ),
        revoke: ({ revoke: as, by }) => {
          if (as === "its OAuth client") return revoke(familyId, by === undefined ? clientId : otherClientId);
          // By the operation of the page of the person.
          const who = by === "another tenant" ? { tenantId: "t-2" } : { principalId: "p-another" };
          return operations.removeAccess(familyId, callBy({ ...owner, ...(by !== undefined && who) }));
        },
      };
    },
  };

  const code: CodeDriver = {
    ...byOperations,
    errorOf,
    async issue(given) {
      const approval = {
        ...{ ...owner, ...given, scopes: [exchangeScope, deleteScope], redirectUri: codeRedirectUri },
        ...{ resource: codeResource, codeChallenge: secrets.codeChallenge(codeVerifier) },
      };
      const issued = (await operations.issueAuthorizationCode(approval, callBy(approver))) ?? expect.unreachable();
      const { codeHash, grantId } = secrets.readAuthorizationCode(issued) ?? expect.unreachable();
      const unknown = issued.slice(0, -2) + (issued.at(-2) === "A" ? "B" : "A") + issued.slice(-1);
      const sentCodes = { unknown, "of another grant": issued.replace(grantId, secrets.newId()) };
      return {
        codeHash,
        grantId,
        async redeem({ by, code: sent, redirectUri, verifier, resource, proof = "", retry }) {
          const form = {
            grant_type: "authorization_code",
            client_id: by === undefined ? clientId : otherClientId,
            code: sent === undefined ? issued : sentCodes[sent],
            redirect_uri: { same: codeRedirectUri, another: "http://127.0.0.1/other", none: undefined }[
              redirectUri ?? "same"
            ],
            code_verifier: verifier === undefined ? codeVerifier : `${codeVerifier}x`,
            resource: { same: api, another: broker, none: undefined }[resource ?? "same"],
          };
          const answer = await ask(form, { proof, idempotencyKey: retryKeys[retry ?? "first"] });
          if (!answer.ok) return answer;
          const { refreshable, aud, grant, accessTokenId } = answer;
          const approved = aud === broker ? "broker" : "api";
          return {
            ok: true,
            refreshable,
            resource: approved,
            tokens: answer.tokens,
            grant: { ...grant, accessTokenId },
          };
        },
        refresh: () => refresh({ familyId: grantId, generation: 1 }, { proof: given.popKeyId }),
        revokeFamily: () => revoke(grantId),
      };
    },
  };
  return { device, family, code, close: site.close };
}

/** The errors of RFC 6749 section 5.2, RFC 8628 section 3.5, RFC 8707 and RFC 9449 section 5. Default: `invalid_grant`. */
const errors: Readonly<Record<string, string>> = {
  authorization_pending: "authorization_pending",
  slow_down: "slow_down",
  access_denied: "access_denied",
  expired_token: "expired_token",
  OAUTH_CLIENT_DISABLED: "invalid_client",
  RESOURCE_NOT_APPROVED: "invalid_target",
};

/** Returns the error of the token endpoint for a reason. */
function errorOf(reason: string, proof: string): string {
  if (reason === "PROOF_KEY_REQUIRED") return proof === "" ? "invalid_dpop_proof" : "invalid_grant";
  return errors[reason] ?? "invalid_grant";
}
