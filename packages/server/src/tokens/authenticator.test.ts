import { describe, expect, it } from "vitest";
import type { AccessState, TokenClaims } from "../domain/access.js";
import type { AccessRef } from "../ports/storage.js";
import { StorageError } from "../ports/storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { type AuthenticatorOptions, createAuthenticator } from "./authenticator.js";

const start = Date.UTC(2026, 0, 1);
const life = 900_000;
const good: AccessState = {
  oauthClient: {
    tenantId: "t-1",
    oauthClientId: "c-1",
    name: "A client",
    allowedOperations: ["platform.v1.VaultService/DeleteItem"],
    enabled: true,
  },
  principalActive: true,
  revoked: false,
};
const revoked: AccessState = { ...good, revoked: true };
const inactive: AccessState = { ...good, principalActive: false };

/** Tokens here are `good-1`, `good-2` …: what stands in them is the verifier's business. */
function setUp(options: Partial<AuthenticatorOptions> = {}) {
  const clock = fakeClock(start);
  const counts = { verified: 0, read: 0 };
  const fixture: { acceptable: boolean; access: AccessState; read: (ref: AccessRef) => Promise<AccessState> } = {
    acceptable: true,
    access: good,
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
    storage: {
      readAccess(ref) {
        counts.read += 1;
        return fixture.read(ref);
      },
    },
    clock,
    ...options,
  });
  return { clock, counts, fixture, authenticate: authenticator.authenticate };
}

/** A reading that takes until it is told to end. */
function slowReading() {
  let end: (access: AccessState) => void = () => undefined;
  const reading = new Promise<AccessState>((resolve) => {
    end = resolve;
  });
  return { read: () => reading, end };
}

describe("what was seen lately", () => {
  it("is answered at once, without a promise, and without asking anybody", async () => {
    const { authenticate, counts, clock } = setUp();
    const first = authenticate("good-1");
    expect(first).toBeInstanceOf(Promise);
    const found = await first;
    expect(found).toMatchObject({ claims: { tokenId: "good-1" }, access: good });
    clock.advance(999);
    expect(authenticate("good-1")).toEqual(found);
    expect(counts).toEqual({ verified: 1, read: 1 });
  });

  it("is verified once and read once for 1000 concurrent calls, and once more for the next 1000 a second later", async () => {
    const { authenticate, counts, clock } = setUp();
    const call = () => Promise.all(Array.from({ length: 1000 }, () => authenticate("good-1")));
    expect(new Set(await call()).size).toBe(1);
    expect(counts).toEqual({ verified: 1, read: 1 });
    clock.advance(1000);
    await call();
    expect(counts).toEqual({ verified: 2, read: 2 });
  });

  it("is forgotten when many others were used since: at most cacheSize are remembered", async () => {
    const { authenticate, counts, clock } = setUp({ cacheSize: 3 });
    for (const token of ["good-1", "good-2", "good-3"]) await authenticate(token);
    clock.advance(1000);
    await authenticate("good-1");
    await authenticate("good-4");
    expect(counts.verified).toBe(5);
    for (const token of ["good-1", "good-4"]) await authenticate(token);
    expect(counts.verified).toBe(5);
    await authenticate("good-2");
    expect(counts.verified).toBe(6);
  });

  it("is not accepted beyond a second once its key was taken away", async () => {
    const { authenticate, fixture, clock } = setUp();
    await authenticate("good-1");
    fixture.acceptable = false;
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeUndefined();
    expect(await authenticate("good-1")).toBeUndefined();
  });
});

describe("revocation, policy and principals take effect within 1 s (DECISIONS 5)", () => {
  it.each([
    ["revoked", revoked],
    ["of a principal that was deactivated", inactive],
  ])("a token is %s", async (_, access) => {
    const { authenticate, fixture, clock } = setUp();
    await authenticate("good-1");
    fixture.access = access;
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeUndefined();
    expect(authenticate("good-1")).toBeUndefined();
  });

  it("an OAuth client is disabled", async () => {
    const { authenticate, fixture, clock } = setUp();
    await authenticate("good-1");
    fixture.access = { ...good, oauthClient: undefined };
    clock.advance(1000);
    expect((await authenticate("good-1"))?.access.oauthClient).toBeUndefined();
  });

  it("a principal is activated again", async () => {
    const { authenticate, fixture, clock } = setUp();
    fixture.access = inactive;
    expect(await authenticate("good-1")).toBeUndefined();
    fixture.access = good;
    clock.advance(1000);
    expect(await authenticate("good-1")).toBeDefined();
  });

  it("however long the reading took: the second is counted from its beginning", async () => {
    const { authenticate, fixture, clock } = setUp();
    const slow = slowReading();
    fixture.read = slow.read;
    const first = authenticate("good-1");
    clock.advance(999);
    slow.end(good);
    expect(await first).toBeDefined();
    fixture.read = async () => revoked;
    clock.advance(1);
    expect(await authenticate("good-1")).toBeUndefined();
  });

  it("a call does not join a reading that began a second ago, and that reading does not undo what is newer", async () => {
    const { authenticate, fixture, clock } = setUp();
    const slow = slowReading();
    await authenticate("good-1");
    clock.advance(1000);
    fixture.read = slow.read;
    const stuck = authenticate("good-1");
    fixture.read = async () => revoked;
    clock.advance(999);
    const joined = authenticate("good-1");
    clock.advance(1);
    expect(await authenticate("good-1")).toBeUndefined();
    slow.end(good);
    await Promise.all([stuck, joined]);
    expect(authenticate("good-1")).toBeUndefined();
  });

  it("a clock that steps back makes nothing last longer, and is soon forgotten", async () => {
    const { authenticate, fixture, clock, counts } = setUp();
    await authenticate("good-1");
    fixture.access = revoked;
    clock.advance(-3_600_000);
    expect(await authenticate("good-1")).toBeUndefined();
    expect(authenticate("good-1")).toBeUndefined();
    expect(counts.read).toBe(2);
  });
});

describe("expiry (no leeway)", () => {
  it("ends what is remembered, at once", async () => {
    const { authenticate, clock } = setUp();
    clock.advance(life - 1);
    await authenticate("good-1");
    expect(authenticate("good-1")).toMatchObject({ claims: { tokenId: "good-1" } });
    clock.advance(1);
    expect(authenticate("good-1")).toBeUndefined();
  });

  it("ends also what expired while it was looked up", async () => {
    const { authenticate, fixture, clock } = setUp();
    const slow = slowReading();
    fixture.read = slow.read;
    const pending = authenticate("good-1");
    clock.advance(life);
    slow.end(good);
    expect(await pending).toBeUndefined();
  });
});

describe("what is not acceptable", () => {
  it.each(["good-1x", "good-", "xgood-1", "good-1 ", "GOOD-1"])(
    "is not accepted for resembling what is remembered: %s",
    async (token) => {
      const { authenticate } = setUp();
      await authenticate("good-1");
      expect(await authenticate(token)).toBeUndefined();
    },
  );

  it("is neither remembered nor read about, and pushes nothing out", async () => {
    const { authenticate, counts } = setUp({ cacheSize: 2 });
    await authenticate("good-1");
    for (let n = 0; n < 10; n += 1) expect(await authenticate(`bad-${n}`)).toBeUndefined();
    expect(counts).toEqual({ verified: 11, read: 1 });
    expect(authenticate("good-1")).toMatchObject({ access: good });
  });

  it("is rejected when only its end matches a cached token, and the cached token stays", async () => {
    const { authenticate, counts } = setUp();
    // The end is what a cached token is found by, and longer than the key that it is found under.
    const digits = "1".repeat(100);
    await authenticate(`good-${digits}`);
    expect(await authenticate(`evil-${digits}`)).toBeUndefined();
    expect(authenticate(`good-${digits}`)).toMatchObject({ claims: { tokenId: `good-${digits}` } });
    expect(counts.verified).toBe(2);
  });

  it("does not join the lookup of another token with the same end", async () => {
    const { authenticate } = setUp();
    const digits = "1".repeat(100);
    const both = await Promise.all([authenticate(`good-${digits}`), authenticate(`evil-${digits}`)]);
    expect(both[0]).toMatchObject({ claims: { tokenId: `good-${digits}` } });
    expect(both[1]).toBeUndefined();
  });

  it("is refused unseen beyond 8 KiB", async () => {
    const { authenticate, counts } = setUp();
    expect(authenticate("x".repeat(8193))).toBeUndefined();
    expect(counts.verified).toBe(0);
    expect(await authenticate("x".repeat(8192))).toBeUndefined();
    expect(counts.verified).toBe(1);
  });
});

describe("a storage that fails", () => {
  it("fails every call that waits, is asked again by the next, and never makes older knowledge do", async () => {
    const { authenticate, fixture, clock, counts } = setUp();
    await authenticate("good-1");
    clock.advance(1000);
    fixture.read = async () => {
      throw new StorageError("unavailable");
    };
    const answers = await Promise.allSettled([authenticate("good-1"), authenticate("good-1")]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(authenticate("good-1")).rejects.toThrow(StorageError);
    fixture.read = async () => good;
    expect(await authenticate("good-1")).toBeDefined();
    expect(counts).toEqual({ verified: 4, read: 4 });
  });
});
