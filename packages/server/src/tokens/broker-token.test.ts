import { createBrokerTokenVerifier } from "@platform-rpc/broker";
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

it("a key that a broker would reject has no thumbprint", async () => {
  const smallOrder = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) };
  expect(await createProofKeys().thumbprint(JSON.stringify(smallOrder))).toBeUndefined();
});
