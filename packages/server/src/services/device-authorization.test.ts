import { describe, expect, it, onTestFinished } from "vitest";
import { defineCollection } from "../domain/model/collection.js";
import { object, text } from "../domain/model/schema.js";
import { createGuessLimiter } from "../limits/guess-limiter.js";
import type { Secrets } from "../ports/secrets.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createProofKeys } from "../tokens/proof-keys.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createDeviceAuthorizationOperations, type StartDeviceAuthorizationInput } from "./device-authorization.js";
import { createLimitGuesses } from "./limit-guesses.js";
import { createAccessOperations } from "./manage-access.js";

const user = { tenantId: "t-1", principalId: "user-1" };
const actor = { ...user, oauthClientId: "console", tokenId: "jti-1", operation: "any", requestId: "r-1" };
const admin: Call = { actor, wanted: () => true };

/** Creates the operations with user codes on an empty SQLite database in memory. */
async function flow(overrides: Partial<Secrets> = {}) {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const secrets = { ...createSecrets({ hmacKey: new Uint8Array(32), clock }), ...overrides };
  const deps = { storage, clock, secrets };
  const limited = createLimitGuesses(createGuessLimiter({ clock }));
  const operations = createDeviceAuthorizationOperations({ ...deps, proofKeys: createProofKeys() });
  const { startDeviceAuthorization: start } = operations;
  const answer = limited(operations.answerDeviceAuthorization);
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const { setOauthClient, setPrincipal } = createAccessOperations({ ...deps, issuer });
  const client = { tenantId: "t-1", oauthClientId: "agent", name: "Agent", allowedOperations: [], enabled: true };
  await setOauthClient(client, admin);
  await setPrincipal({ ...user, active: true }, admin);
  return {
    clock,
    storage,
    async begin(
      scopes = ["vault.items:delete", "elsewhere"],
      alsoCreated?: StartDeviceAuthorizationInput["alsoCreated"],
    ) {
      const input = { tenantId: "t-1", oauthClientId: "agent", scopes, popPublicJwk: "" };
      const started = await start({ ...input, ...(alsoCreated && { alsoCreated }) }, admin);
      return started.ok ? started : expect.unreachable(started.reason);
    },
    setPrincipal,
    get: limited(operations.getDeviceAuthorization),
    answer,
    approve: (userCode: string, scopes = ["vault.items:delete"]) =>
      answer({ ...user, userCode }, { approve: scopes }, admin),
  };
}

describe("DECISIONS section 4: user codes are unique among unexpired ones", () => {
  it("a collision generates another code; the code of an expired authorization can be used again", async () => {
    const letters = ["BBBBBBBB", "BBBBBBBB", "BBBBBBBB", "CCCCCCCC", "BBBBBBBB"];
    const { begin, clock, get } = await flow({ newUserCode: () => letters.shift() ?? expect.unreachable() });
    expect((await begin()).userCode).toBe("BBBB-BBBB");
    expect((await begin()).userCode).toBe("CCCC-CCCC");
    expect(letters).toEqual(["BBBBBBBB"]);

    clock.advance(600_000);
    const again = await begin(["again"]);
    expect(again.userCode).toBe("BBBB-BBBB");
    const shown = await get({ ...user, userCode: "BBBB-BBBB" }, admin);
    expect(shown).toMatchObject({ ok: true, status: "pending", authorization: { requestedScopes: ["again"] } });
  });
});

describe("a record that is created with a device authorization", () => {
  const marks = defineCollection<{ readonly name: string }>("mark", {
    schema: object({ name: text }),
    keyOf: ({ name: key }) => ({ tenantId: "t-1", key }),
  });
  const of = (userCodes: string[]) => flow({ newUserCode: () => userCodes.shift() ?? expect.unreachable() });

  it("is stored in the same commit: if it cannot be, nothing is started", async () => {
    const { begin, get, storage } = await of(["BBBBBBBB", "CCCCCCCC"]);
    const seen: unknown[] = [];
    const alsoCreated: StartDeviceAuthorizationInput["alsoCreated"] = (authorization) => {
      seen.push(authorization);
      return marks.create({ name: "m-1" }, authorization.createdAt);
    };
    const { authorization, userCode } = await begin([], alsoCreated);
    const { deviceCodeHash, createdAt, expiresAt } = authorization;
    expect(seen).toEqual([{ deviceCodeHash, createdAt, expiresAt }]);
    expect(await get({ ...user, userCode }, admin)).toMatchObject({ ok: true });
    expect((await storage.readRecords([marks.key("t-1", "m-1")]))[0]).toMatchObject({ value: '{"name":"m-1"}' });

    await expect(begin([], alsoCreated)).rejects.toMatchObject({ name: "StorageError" });
    expect(await get({ ...user, userCode: "CCCC-CCCC" }, admin)).toMatchObject({ reason: "USER_CODE_INVALID" });
  });
});

describe("DECISIONS section 7: 5 wrong user codes for a principal, 50 for a tenant, in 10 minutes", () => {
  const wrong = { ok: false, reason: "USER_CODE_INVALID" };

  it("does not count right codes and other errors as misses", async () => {
    const { begin, approve, get } = await flow();
    const { userCode } = await begin();
    for (let look = 0; look < 10; look += 1) {
      expect(await get({ ...user, userCode }, admin)).toMatchObject({ ok: true });
      expect(await approve(userCode, ["not requested"])).toEqual({ ok: false, reason: "SCOPES_NOT_REQUESTED" });
    }
    expect(await approve(userCode)).toEqual({ ok: true });
  });

  it("50 misses block all principals of the tenant, and no other tenant", async () => {
    const { begin, answer, setPrincipal, approve } = await flow();
    const { userCode } = await begin();
    for (let n = 0; n < 50; n += 1) {
      const guesser = { tenantId: "t-1", principalId: `guesser-${n % 10}` };
      await setPrincipal({ ...guesser, active: true }, admin);
      expect(await answer({ ...guesser, userCode: "XXXX-XXXX" }, "deny", admin)).toEqual(wrong);
    }
    expect(await approve(userCode)).toEqual(wrong);

    const other = { tenantId: "t-2", principalId: "user-1" };
    expect(await answer({ ...other, userCode }, "deny", admin)).toEqual({ ok: false, reason: "PRINCIPAL_DISABLED" });
  });
});
