import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import type { Grant } from "../domain/model/grant.js";
import type { TokenIssuer } from "../ports/tokens.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "./issuer.js";
import type { KeyFile } from "./key-file.js";
import { createKeyRing, type KeyRing } from "./key-ring.js";
import { createMemoryKeyStore } from "./memory-key-store.js";
import { createTokenVerifier } from "./verifier.js";

const start = Date.UTC(2026, 0, 1);
// The key of RFC 8037 appendix A.1; its thumbprint is that of appendix A.3.
const file: KeyFile = {
  version: 1,
  hmacKey: Buffer.alloc(32, 7).toString("base64url"),
  keys: [
    {
      jwk: {
        kty: "OKP",
        crv: "Ed25519",
        d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      },
      createdAt: start,
      signsFrom: start,
    },
  ],
};
const keyId = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

const grant: Grant = {
  grantId: "g-1",
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  scopes: ["identity.device_authorizations:exchange", "vault.items:delete"],
  keyId,
  issuedAt: start / 1000,
  expiresAt: start / 1000 + 900,
  accessTokenId: "jti-access",
  brokerTokenId: "jti-broker",
  popKeyId: "",
};

let keyRing: KeyRing;
let tokenIssuer: TokenIssuer;
beforeAll(async () => {
  keyRing = await createKeyRing({ store: createMemoryKeyStore(file), clock: fakeClock(start) });
  tokenIssuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
});

describe("access tokens (RFC 9068 section 2)", () => {
  it("contain the claims of RFC 9068, the tenant and the grant, in a fixed order", async () => {
    const claims = decodeJwt(await tokenIssuer.signAccessToken(grant));
    expect(Object.entries(claims)).toEqual([
      ["iss", "iss"],
      ["sub", "p-1"],
      ["aud", "api"],
      ["exp", start / 1000 + 900],
      ["iat", start / 1000],
      ["jti", "jti-access"],
      ["client_id", "c-1"],
      ["scope", "identity.device_authorizations:exchange vault.items:delete"],
      ["tenant_id", "t-1"],
      ["grant_id", "g-1"],
    ]);
  });

  it("contain an empty scope claim when the grant has no scopes", async () => {
    expect(decodeJwt(await tokenIssuer.signAccessToken({ ...grant, scopes: [] }))).toHaveProperty("scope", "");
  });

  it("are accepted by the verifier, which rejects broker tokens", async () => {
    const verifier = createTokenVerifier({ keyRing, issuer: "iss", audience: "api", clock: fakeClock(start) });
    expect(await verifier.verify(await tokenIssuer.signAccessToken(grant))).toMatchObject({ tokenId: "jti-access" });
    expect(await verifier.verify(await tokenIssuer.signBrokerToken(grant))).toBeUndefined();
  });
});

describe("broker tokens (DECISIONS 4)", () => {
  it("have another audience, a separate jti and the role agent", async () => {
    const claims = decodeJwt(await tokenIssuer.signBrokerToken(grant));
    expect(claims).toMatchObject({ aud: "broker", jti: "jti-broker", role: "agent", sub: "p-1", grant_id: "g-1" });
    expect(claims).not.toHaveProperty("cnf");
  });

  it("contain cnf.jkt when the grant has a proof-of-possession key (RFC 7800, RFC 9449 section 6.1)", async () => {
    const bound = { ...grant, popKeyId: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" };
    expect(decodeJwt(await tokenIssuer.signBrokerToken(bound))).toHaveProperty("cnf", { jkt: bound.popKeyId });
    expect(decodeJwt(await tokenIssuer.signAccessToken(bound))).not.toHaveProperty("cnf");
  });

  it("cannot be signed for a grant without one", async () => {
    await expect(tokenIssuer.signBrokerToken({ ...grant, brokerTokenId: "" })).rejects.toThrow("no broker token");
  });
});

describe("the same row always gives the same bytes (DECISIONS 4)", () => {
  it.each(["signAccessToken", "signBrokerToken"] as const)(
    "%s ignores the order of the grant's properties",
    async (sign) => {
      const shuffled: Grant = { ...grant };
      for (const [name, value] of Object.entries(grant).reverse()) {
        Reflect.deleteProperty(shuffled, name);
        Object.assign(shuffled, { [name]: value });
      }
      const token = await tokenIssuer[sign](grant);
      const restarted = createTokenIssuer({
        keyRing: await createKeyRing({ store: createMemoryKeyStore(file), clock: fakeClock(start) }),
        issuer: "iss",
        audience: "api",
        brokerAudience: "broker",
      });
      expect(await restarted[sign](shuffled)).toBe(token);
    },
  );

  it("matches the bytes of earlier versions, so that a replay works across an update", async () => {
    const kept = [
      "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZDI1NTE5Iiwia2lkIjoia1ByS19xbXhWV2FZVkE5d3dCRjZJdW8zdlZ6ejdUeEhDVHdYQnlnclM0ayJ9.",
      "eyJpc3MiOiJpc3MiLCJzdWIiOiJwLTEiLCJhdWQiOiJhcGkiLCJleHAiOjE3NjcyMjY1MDAsImlhdCI6MTc2NzIyNTYwMCwianRp",
      "IjoianRpLWFjY2VzcyIsImNsaWVudF9pZCI6ImMtMSIsInNjb3BlIjoiaWRlbnRpdHkuZGV2aWNlX2F1dGhvcml6YXRpb25zOmV4",
      "Y2hhbmdlIHZhdWx0Lml0ZW1zOmRlbGV0ZSIsInRlbmFudF9pZCI6InQtMSIsImdyYW50X2lkIjoiZy0xIn0.",
      "WKrPkuIf9xe5hrikhDqG7E3y-hogVo6CkGaMgIx1HJuX0TgLrk5ieBLkPsABcsxI7aAB51JClghy4QP4MSxrCQ",
    ];
    expect(await tokenIssuer.signAccessToken(grant)).toBe(kept.join(""));
  });

  it("fails with the kid when the signing key was removed", async () => {
    await expect(tokenIssuer.signAccessToken({ ...grant, keyId: "unknown" })).rejects.toThrow(
      "The signing key unknown was removed",
    );
    await expect(tokenIssuer.signBrokerToken({ ...grant, keyId: "unknown" })).rejects.toThrow(
      "The signing key unknown was removed",
    );
  });
});
