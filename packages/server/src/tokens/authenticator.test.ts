import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { AccessRef, AccessState, TokenClaims } from "../domain/model/access.js";
import { StorageError } from "../ports/storage.js";
import { withoutCodeGrant } from "../testing/access-values.js";
import { fakeClock } from "../testing/fake-clock.js";
import { type AuthenticatorOptions, createAuthenticator } from "./authenticator.js";

const start = Date.UTC(2026, 0, 1);
const life = 900_000;
const validState: AccessState = {
  oauthClient: {
    tenantId: "t-1",
    oauthClientId: "c-1",
    name: "A client",
    allowedOperations: ["platform.v1.VaultService/DeleteItem"],
    ...withoutCodeGrant,
    enabled: true,
    registeredAt: 0,
    registeredBy: "",
  },
  principalActive: true,
  revoked: false,
};
const revoked: AccessState = { ...validState, revoked: true };
const inactive: AccessState = { ...validState, principalActive: false };

/** Creates an authenticator whose verifier accepts the tokens `good-1`, `good-2` and so on. */
function createFixture(options: Partial<AuthenticatorOptions> = {}) {
  const clock = fakeClock(start);
  const counts = { verified: 0, read: 0 };
  const fixture: { acceptable: boolean; access: AccessState; read: (ref: AccessRef) => Promise<AccessState> } = {
    acceptable: true,
    access: validState,
    read: async () => fixture.access,
  };
  const authenticator = createAuthenticator({
    verifier: {
      async verify(token): Promise<TokenClaims | undefined> {
        counts.verified += 1;
        if (!fixture.acceptable || !/^good-\d+$/.test(token)) return undefined;
        return {
          tenantId: "t-1",
          principalId: "p-1",
          oauthClientId: "c-1",
          tokenId: token,
          grantId: "g-1",
          scopes: [],
          expiresAt: start + life,
        };
      },
    },
    readAccess(ref) {
      counts.read += 1;
      return fixture.read(ref);
    },
    clock,
    ...options,
  });
  return { clock, counts, fixture, authenticate: authenticator.authenticate };
}

/** A read of the access state that resolves when `end` is called. */
function slowRead() {
  let end: (access: AccessState) => void = () => undefined;
  const reading = new Promise<AccessState>((resolve) => {
    end = resolve;
  });
  return { read: () => reading, end };
}

describe("a cached token", () => {
  it("is authenticated without a promise, a verification or a read", async () => {
    const { authenticate, counts, clock } = createFixture();
    const first = authenticate("good-1");
    expect(first).toBeInstanceOf(Promise);
    const found = await first;
    expect(found).toMatchObject({ claims: { tokenId: "good-1" }, access: validState });
    clock.advance(499);
    expect(authenticate("good-1")).toEqual(found);
    expect(counts).toEqual({ verified: 1, read: 1 });
  });

  it("reports how each token was looked up", async () => {
    const lookups: string[] = [];
    const { authenticate } = createFixture({ onLookup: (lookup) => lookups.push(lookup) });
    await Promise.all([authenticate("good-1"), authenticate("good-1")]);
    authenticate("good-1");
    await authenticate("bad");
    expect(lookups).toEqual(["miss", "joined", "hit", "miss"]);
  });

  it("is read again after half a second, while its callers still get the cached state", async () => {
    const { authenticate, counts, fixture, clock } = createFixture();
    const found = await authenticate("good-1");
    const slow = slowRead();
    fixture.read = slow.read;
    clock.advance(500);
    expect(authenticate("good-1")).toEqual(found);
    clock.advance(499);
    expect(authenticate("good-1")).toEqual(found);
    expect(counts.verified).toBe(2);
    // The age of the new state counts from the start of its read.
    slow.end(validState);
    await setImmediate();
    clock.advance(500);
    expect(authenticate("good-1")).toEqual(found);
  });

  it("keeps its cached state for the rest of the second when reading ahead fails", async () => {
    const { authenticate, fixture, clock } = createFixture();
    const found = await authenticate("good-1");
    fixture.read = () => Promise.reject(new StorageError("unavailable"));
    clock.advance(999);
    expect(authenticate("good-1")).toEqual(found);
    await setImmediate();
    expect(authenticate("good-1")).toEqual(found);
    clock.advance(1);
    await expect(authenticate("good-1")).rejects.toMatchObject({ reason: "unavailable" });
  });

  it("is verified once and read once for 1000 concurrent calls, and once more for the next 1000 a second later", async () => {
    const { authenticate, counts, clock } = createFixture();
    const call = () => Promise.all(Array.from({ length: 1000 }, () => authenticate("good-1")));
    expect(new Set(await call()).size).toBe(1);
    expect(counts).toEqual({ verified: 1, read: 1 });
    clock.advance(1000);
    await call();
    expect(counts).toEqual({ verified: 2, read: 2 });
  });
});

describe("DECISIONS section 9: the first use of a token", () => {
  /** Creates a fixture that collects the ids of the tokens whose first use was reported. */
  const createReporting = (options: Partial<AuthenticatorOptions> = {}) => {
    const used: string[] = [];
    return { used, ...createFixture({ onFirstUse: ({ tokenId }) => used.push(tokenId), ...options }) };
  };

  it("is reported once, however many calls and reads follow", async () => {
    const { authenticate, clock, used } = createReporting();
    await Promise.all([authenticate("good-1"), authenticate("good-1")]);
    for (let call = 0; call < 10; call += 1) {
      clock.advance(call % 2 === 0 ? 500 : 1000);
      await authenticate("good-1");
      await setImmediate();
    }
    await authenticate("good-2");
    expect(used).toEqual(["good-1", "good-2"]);
  });

  it("is reported before the token is returned, and not for one that is rejected", async () => {
    const { authenticate, fixture, clock, used } = createReporting();
    fixture.access = inactive;
    expect([await authenticate("bad"), await authenticate("good-1"), used]).toEqual([undefined, undefined, []]);
    fixture.access = validState;
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeDefined();
    expect(used).toEqual(["good-1"]);
  });
});

describe("revocation, policy and principals take effect within 1 s (DECISIONS 5)", () => {
  it.each([
    ["revoked", { access: revoked }],
    ["of a principal that was deactivated", { access: inactive }],
    ["signed with a key that was removed", { acceptable: false }],
  ])("rejects a token that is %s", async (_, change) => {
    const { authenticate, fixture, clock } = createFixture();
    await authenticate("good-1");
    Object.assign(fixture, change);
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeUndefined();
    expect(await authenticate("good-1")).toBeUndefined();
  });

  it("counts the second from the start of the read, not from its end", async () => {
    const { authenticate, fixture, clock } = createFixture();
    const slow = slowRead();
    fixture.read = slow.read;
    const first = authenticate("good-1");
    clock.advance(999);
    slow.end(validState);
    expect(await first).toBeDefined();
    fixture.read = async () => revoked;
    clock.advance(1);
    expect(await authenticate("good-1")).toBeUndefined();
  });

  it("does not join a read that began a second ago, and that read does not overwrite a newer result", async () => {
    const { authenticate, fixture, clock, counts } = createFixture();
    const slow = slowRead();
    await authenticate("good-1");
    clock.advance(1000);
    fixture.read = slow.read;
    const stuck = authenticate("good-1");
    while (counts.read < 2) await Promise.resolve();
    fixture.read = async () => revoked;
    clock.advance(999);
    const joined = authenticate("good-1");
    clock.advance(1);
    expect(await authenticate("good-1")).toBeUndefined();
    slow.end(validState);
    await Promise.all([stuck, joined]);
    expect(authenticate("good-1")).toBeUndefined();
  });

  it("does not keep an entry longer when the clock steps back", async () => {
    const { authenticate, fixture, clock, counts } = createFixture();
    await authenticate("good-1");
    fixture.access = revoked;
    clock.advance(-3_600_000);
    expect(await authenticate("good-1")).toBeUndefined();
    expect(authenticate("good-1")).toBeUndefined();
    expect(counts.read).toBe(2);
  });
});

describe("expiry (no leeway)", () => {
  it("applies to cached tokens at once", async () => {
    const { authenticate, clock } = createFixture();
    clock.advance(life - 1);
    await authenticate("good-1");
    expect(authenticate("good-1")).toMatchObject({ claims: { tokenId: "good-1" } });
    clock.advance(1);
    expect(authenticate("good-1")).toBeUndefined();
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeUndefined();
  });

  it("applies to a token that expires during its lookup", async () => {
    const { authenticate, fixture, clock } = createFixture();
    const slow = slowRead();
    fixture.read = slow.read;
    const pending = authenticate("good-1");
    clock.advance(life);
    slow.end(validState);
    expect(await pending).toBeUndefined();
  });
});

describe("an invalid token", () => {
  it("is not cached, causes no read, and evicts nothing", async () => {
    const { authenticate, counts } = createFixture({ cacheSize: 2 });
    await authenticate("good-1");
    for (let n = 0; n < 10; n += 1) expect(await authenticate(`bad-${n}`)).toBeUndefined();
    expect(counts).toEqual({ verified: 11, read: 1 });
    expect(authenticate("good-1")).toMatchObject({ access: validState });
  });

  it("is rejected when only its end matches a cached token, and the cached token stays", async () => {
    const { authenticate, counts } = createFixture();
    // The cache key is the end of the token; these ends are longer than the key.
    const digits = "1".repeat(100);
    await authenticate(`good-${digits}`);
    expect(await authenticate(`evil-${digits}`)).toBeUndefined();
    expect(authenticate(`good-${digits}`)).toMatchObject({ claims: { tokenId: `good-${digits}` } });
    expect(counts.verified).toBe(2);
  });

  it("does not join the lookup of another token with the same end", async () => {
    const { authenticate } = createFixture();
    const digits = "1".repeat(100);
    const both = await Promise.all([authenticate(`good-${digits}`), authenticate(`evil-${digits}`)]);
    expect(both[0]).toMatchObject({ claims: { tokenId: `good-${digits}` } });
    expect(both[1]).toBeUndefined();
  });

  it.each(["a, Bearer b", "ä", "a=b"])("is rejected without verification when it is malformed: %j", (token) => {
    const { authenticate, counts } = createFixture();
    expect(authenticate(token)).toBeUndefined();
    expect(counts.verified).toBe(0);
  });

  it("is rejected without verification when it is longer than 8 KiB", async () => {
    const { authenticate, counts } = createFixture();
    expect(authenticate("x".repeat(8193))).toBeUndefined();
    expect(counts.verified).toBe(0);
    expect(await authenticate("x".repeat(8192))).toBeUndefined();
    expect(counts.verified).toBe(1);
  });
});

describe("a failing storage", () => {
  it("rejects every waiting call, is read again by the next call, and never falls back to older results", async () => {
    const { authenticate, fixture, clock, counts } = createFixture();
    await authenticate("good-1");
    clock.advance(1000);
    fixture.read = async () => {
      throw new StorageError("unavailable");
    };
    const answers = await Promise.allSettled([authenticate("good-1"), authenticate("good-1")]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(authenticate("good-1")).rejects.toThrow(StorageError);
    fixture.read = async () => validState;
    expect(await authenticate("good-1")).toBeDefined();
    expect(counts).toEqual({ verified: 4, read: 4 });
  });
});
