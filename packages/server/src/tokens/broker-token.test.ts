import { generateKeyPairSync, hash } from "node:crypto";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import type { Grant } from "../domain/model/grant.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "./issuer.js";
import { createKeyRing } from "./key-ring.js";
import { createMemoryKeyStore } from "./memory-key-store.js";
import { createProofKeys } from "./proof-keys.js";

const start = Date.UTC(2026, 0, 1);
const request = { method: "POST", url: "https://broker.example/run" };

async function createFixture(popKeyId: string) {
  const clock = fakeClock(start);
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const keys = (keyId: string) => keyRing.publicKey(keyId);
  const verifier = createBrokerTokenVerifier({ keys, issuer: "iss", audience: "broker", clock });
  const grant: Grant = {
    grantId: "g-1",
    tenantId: "t-1",
    principalId: "p-1",
    oauthClientId: "c-1",
    scopes: ["a:b", "c:d"],
    issuedAt: start / 1000,
    expiresAt: start / 1000 + 900,
    keyId: keyRing.currentKeyId(),
    accessTokenId: "jti-access",
    brokerTokenId: "jti-broker",
    popKeyId,
  };
  return { verifier, issuer, grant };
}

it("@platform-rpc/broker accepts the issuer's broker token and returns the claims of the grant", async () => {
  const { verifier, issuer, grant } = await createFixture("");
  const delegation = { delegationId: "g-1", bounds: { vaults: ["v-1"], maxDeletions: 10 } };
  const authorization = `Bearer ${await issuer.signBrokerToken({ ...grant, delegation })}`;
  expect(await verifier.verify({ ...request, authorization, dpop: undefined })).toEqual({
    tenantId: "t-1",
    principalId: "p-1",
    oauthClientId: "c-1",
    tokenId: "jti-broker",
    grantId: "g-1",
    scopes: ["a:b", "c:d"],
    expiresAt: start + 900_000,
    role: "agent",
    popKeyId: "",
    authorizationDetails: [{ type: "vault", vaults: ["v-1"], max_deletions: 10 }],
  });
});

it("@platform-rpc/broker accepts a key-bound token with a proof of that key", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  const thumbprint = (await createProofKeys().thumbprint(JSON.stringify(jwk))) ?? "";
  const { verifier, issuer, grant } = await createFixture(thumbprint);
  const token = await issuer.signBrokerToken(grant);
  const ath = hash("sha256", token, "base64url");
  const dpop = await new SignJWT({ jti: "1", htm: request.method, htu: request.url, iat: start / 1000, ath })
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
    .sign(privateKey);
  const claims = await verifier.verify({ ...request, authorization: `DPoP ${token}`, dpop });
  expect(claims).toMatchObject({ popKeyId: thumbprint });
});

it("@platform-rpc/broker rejects the access token of the same grant", async () => {
  const { verifier, issuer, grant } = await createFixture("");
  const authorization = `Bearer ${await issuer.signAccessToken(grant)}`;
  const verification = verifier.verify({ ...request, authorization, dpop: undefined });
  await expect(verification).rejects.toMatchObject({ reason: "TOKEN_FOREIGN" });
});

it("a key that a broker would reject has no thumbprint", async () => {
  const smallOrder = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) };
  expect(await createProofKeys().thumbprint(JSON.stringify(smallOrder))).toBeUndefined();
});
