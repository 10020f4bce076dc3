import { describe, expect, it, onTestFinished } from "vitest";
import { oauthClients, principals, type TokenClaims } from "../domain/model/access.js";
import { grantWrites } from "../domain/model/grant.js";
import { grantIdOf, refreshFamilies } from "../domain/model/refresh-family.js";
import { openRefreshFamily } from "../domain/open-refresh-family.js";
import { rotateRefreshToken } from "../domain/rotate-refresh-token.js";
import { refOf, type Storage, StorageError } from "../ports/storage.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { grantOf, oauthClientOf } from "../testing/access-values.js";
import { fakeClock } from "../testing/fake-clock.js";
import { commitWrites } from "../testing/storage-suite/rules.js";
import { createTokenUses } from "./token-uses.js";

const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", scopes: ["a"] };
const actor = { ...subject, tokenId: "", operation: "any", requestId: "r-1" };

function claimsOf(grantId: string): TokenClaims {
  return { ...subject, tokenId: "any", grantId, expiresAt: 1 };
}

/** Creates the refresh family f-0, of the second generation, on an empty SQLite database in memory. */
async function createFixture() {
  const clock = fakeClock();
  const database = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => database.close());
  const counts = { calls: 0 };
  const fixture: { failing: StorageError["reason"] | undefined } = { failing: undefined };
  const transact: Storage["transact"] = (ref, rule, options) => {
    counts.calls += 1;
    const { failing } = fixture;
    return failing ? Promise.reject(new StorageError(failing)) : database.transact(ref, rule, options);
  };
  const issuedAt = Math.floor(clock.now() / 1000);
  const client = oauthClients.create(oauthClientOf({ allowedOperations: ["x"] }), 0);
  await database.transact(refOf(), commitWrites([client, principals.create({ ...subject, active: true }, 0)]));
  const familyId = "f-0";
  const family = refreshFamilies.key(subject.tenantId, familyId);
  const first = grantOf({ scopes: ["a"], grantId: familyId, issuedAt, expiresAt: issuedAt + 900 });
  const writes = [...grantWrites(first, clock.now()), ...openRefreshFamily(first, actor, clock.now())];
  await database.transact(refOf(), commitWrites(writes));
  const input = {
    ...{ grantId: "g-2", accessTokenId: "a-2", brokerTokenId: "", keyId: "k-1" },
    familyId,
    generation: 1,
    proofKeyId: "",
    scopes: undefined,
    requiredScopes: new Map([["x", ["a"]]]),
  };
  const rotated = await database.transact(refOf(family), rotateRefreshToken(input, actor, clock.now()));
  expect(rotated.outcome.ok).toBe(true);
  return {
    counts,
    fixture,
    uses: createTokenUses({ storage: { ...database, transact }, clock }),
    async readFamily() {
      const [record] = await database.readRecords([family]);
      return { revision: record?.revision ?? 0, usedAt: refreshFamilies.read(record)?.usedAt };
    },
    now: clock.now(),
  };
}

const second = { familyId: "f-0", generation: 2 };

describe("DECISIONS section 9: the use of an access token of a refresh family", () => {
  it("is noted without a call of the storage, and recorded by the job", async () => {
    const { uses, counts, readFamily, now } = await createFixture();
    uses.note(claimsOf(grantIdOf("g", second)));
    expect([counts.calls, (await readFamily()).usedAt]).toEqual([0, undefined]);
    await uses.record();
    expect([counts.calls, (await readFamily()).usedAt]).toEqual([1, now]);
  });

  it("is written once for a generation, however many tokens of it are used, and whichever process has accepted them", async () => {
    const { uses, counts, readFamily } = await createFixture();
    const { revision } = await readFamily();
    for (let token = 0; token < 100; token += 1) uses.note(claimsOf(grantIdOf(`g-${token}`, second)));
    await uses.record();
    await uses.record();
    expect([counts.calls, (await readFamily()).revision]).toEqual([1, revision + 1]);
    // Another process, or the same one after its cache has dropped the token.
    uses.note(claimsOf(grantIdOf("g", second)));
    await uses.record();
    expect([counts.calls, (await readFamily()).revision]).toEqual([2, revision + 1]);
  });

  it("causes no statement for tokens of no family, and for the first tokens of a family", async () => {
    const { uses, counts } = await createFixture();
    for (const grantId of ["", "g-1", "f-0", "0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a11"]) uses.note(claimsOf(grantId));
    await uses.record();
    expect(counts.calls).toBe(0);
  });

  it("is recorded for the newest generation that was noted", async () => {
    const { uses, counts, readFamily } = await createFixture();
    for (const generation of [2, 1]) uses.note(claimsOf(grantIdOf("g", { ...second, generation })));
    await uses.record();
    expect(counts.calls).toBe(1);
    expect((await readFamily()).usedAt).toBeDefined();
  });

  it("stays noted while the storage fails", async () => {
    const { uses, fixture, readFamily } = await createFixture();
    uses.note(claimsOf(grantIdOf("g", second)));
    fixture.failing = "unavailable";
    await expect(uses.record()).rejects.toThrow(StorageError);
    fixture.failing = undefined;
    await uses.record();
    expect((await readFamily()).usedAt).toBeDefined();
  });

  it.each([
    ["waits while the writes of its tenant are paused", "paused", true],
    ["is forgotten once another cell serves its tenant", "not_served", false],
  ] as const)("%s, without a failure of the job", async (_, reason, recorded) => {
    const { uses, fixture, readFamily } = await createFixture();
    uses.note(claimsOf(grantIdOf("g", second)));
    fixture.failing = reason;
    await uses.record();
    fixture.failing = undefined;
    await uses.record();
    expect((await readFamily()).usedAt !== undefined).toBe(recorded);
  });

  it("is forgotten beyond 10 000 that wait, the first one first", async () => {
    const { uses, counts } = await createFixture();
    for (let n = 0; n < 10_001; n += 1) uses.note(claimsOf(grantIdOf("g", { familyId: `f-${n}`, generation: 2 })));
    await uses.record();
    expect(counts.calls).toBe(10_000);
  });
});
