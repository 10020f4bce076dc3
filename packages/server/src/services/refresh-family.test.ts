import { expect, it, onTestFinished } from "vitest";
import type { Grant } from "../domain/model/grant.js";
import { newFamily, refreshFamilies } from "../domain/model/refresh-family.js";
import { refOf } from "../ports/storage.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { commitWrites } from "../testing/storage-suite/rules.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createSecrets } from "../tokens/secrets.js";
import { createRefreshOperations } from "./refresh-family.js";

const person = { tenantId: "t-1", principalId: "user-1" };
const grant: Omit<Grant, "grantId"> = {
  ...person,
  oauthClientId: "agent",
  scopes: ["vault.items:delete"],
  keyId: "k-1",
  issuedAt: 0,
  expiresAt: 900,
  accessTokenId: "access-1",
  brokerTokenId: "",
  popKeyId: "",
};

// What a refresh and a revocation do is in testing/cases.
it("the families of a person are listed without those that have ended, however many they are, the newest first", async () => {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const past = 600;
  await Promise.all(
    Array.from({ length: past + 3 }, (_, n) => {
      // The current ones have the last keys.
      const grantId = String(n).padStart(4, "0");
      const family = newFamily({ ...grant, grantId }, clock.now() + n);
      const ended = n < past ? { ...family, expiresAt: clock.now() } : family;
      return storage.transact(refOf(), commitWrites([refreshFamilies.create(ended, clock.now())]));
    }),
  );
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const { listRefreshFamilies } = createRefreshOperations({
    storage,
    clock,
    secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }),
    issuer: createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" }),
    requiredScopes: new Map(),
  });
  const listed = await listRefreshFamilies(person);
  expect(listed.map(({ familyId }) => familyId)).toEqual(["0602", "0601", "0600"]);
});
