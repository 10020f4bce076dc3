import { expect, it, onTestFinished } from "vitest";
import type { NewRecord } from "../domain/model/record.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createSecrets } from "../tokens/secrets.js";
import { createAuthorizationCodeOperations } from "./authorization-code.js";
import type { Call } from "./call.js";
import { createRecordOperations } from "./records.js";

const owner = { tenantId: "t-1", principalId: "user-1", oauthClientId: "agent" };
const person: Call = { actor: { ...owner, tokenId: "", operation: "any", requestId: "r-1" }, wanted: () => true };

it("an authorization code is issued together with what it uses up, while what it is derived from is valid, or not at all", async () => {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const deps = { storage, clock, secrets, issuer, requiredScopes: new Map() };
  const { issueAuthorizationCode } = createAuthorizationCodeOperations(deps);
  const { getRecord, putRecord } = createRecordOperations(deps);
  const ref = { tenantId: "t-1", collection: "authorization-request", key: "request-1" };
  const [createdAt, expiresAt] = [clock.now(), clock.now() + 60_000];
  const request: NewRecord = { ...owner, ...ref, value: "{}", createdAt, expiresAt };
  await putRecord({ record: request, expectedRevision: 0 }, person);

  const approved = { redirectUri: "http://127.0.0.1/callback", codeChallenge: "challenge", resource: "api" };
  const puts = [{ record: { ...request, expiresAt: clock.now() }, expectedRevision: 1 }];
  const approval = { ...owner, ...approved, scopes: ["a"], popKeyId: "", refreshable: true, puts };
  expect(await issueAuthorizationCode(approval, person)).toMatch(/^pac_/);
  expect(await getRecord(ref, person)).toBeUndefined();
  expect(await issueAuthorizationCode(approval, person)).toBeUndefined();

  for (const source of ["derivedFrom", "keptFrom"]) {
    const derived = { ...approval, puts: [], [source]: ["an access that was never granted"] };
    expect(await issueAuthorizationCode(derived, person)).toBeUndefined();
  }
});
