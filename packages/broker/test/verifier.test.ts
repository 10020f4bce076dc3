import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { holderJwk, jwks, outcomeOf, prove, request, setUp, signToken, start } from "../src/fixtures/issuer.js";
import { createReplayCache } from "../src/replay-cache.js";
import { type BrokerTokenVerifierOptions, createBrokerTokenVerifier } from "../src/verifier.js";

let shared: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  shared = await setUp();
});

describe("a broker token that is bound to no key is a plain Bearer token (RFC 6750)", () => {
  it("returns its claims", async () => {
    const { verifier, bearer } = shared;
    expect(await verifier.verify({ ...request, authorization: `Bearer ${bearer}`, dpop: undefined })).toEqual({
      tenantId: "t-1",
      principalId: "p-1",
      oauthClientId: "c-1",
      tokenId: "jti-1",
      grantId: "g-1",
      scopes: ["a:b", "c:d"],
      expiresAt: start + 900_000,
      role: "agent",
      popKeyId: "",
      authorizationDetails: [],
    });
  });

  it("returns what its approval is limited to (RFC 9396), and is rejected if that cannot be read", async () => {
    const { verifier, verify } = shared;
    const limits = [{ type: "vault", vaults: ["v-1"], max_deletions: 10 }];
    const authorization = `Bearer ${await signToken({ authorization_details: limits })}`;
    const claims = await verifier.verify({ ...request, authorization, dpop: undefined });
    expect(claims.authorizationDetails).toEqual(limits);
    for (const unread of ["vault", [{ vaults: ["v-1"] }], [null], null]) {
      expect(await verify(`Bearer ${await signToken({ authorization_details: unread })}`)).toBe("TOKEN_INVALID");
    }
  });

  it("is rejected when its iat is more than a minute ahead, because a clock was set back", async () => {
    const { verify } = shared;
    expect(await verify(`Bearer ${await signToken({ iat: start / 1000 + 60 })}`)).toBe("accepted");
    expect(await verify(`Bearer ${await signToken({ iat: start / 1000 + 61 })}`)).toBe("TOKEN_INVALID");
  });

  it("needs no proof, and a proof changes nothing", async () => {
    const { verify, bearer } = shared;
    expect(await verify(`bearer ${bearer}`)).toBe("accepted");
    expect(await verify(`Bearer ${bearer}`, "nonsense")).toBe("accepted");
    expect(await verify(`DPoP ${bearer}`, await prove(bearer))).toBe("SCHEME_WRONG");
  });
});

describe("a broker token with cnf.jkt needs a proof (RFC 7800, RFC 9449 section 7.1)", () => {
  it("is rejected without a proof, and as Bearer (section 7.2)", async () => {
    const { verify, bound } = shared;
    expect(await verify(`DPoP ${bound}`)).toBe("PROOF_MISSING");
    expect(await verify(`Bearer ${bound}`)).toBe("SCHEME_WRONG");
    expect(await verify(`Bearer ${bound}`, await prove(bound))).toBe("SCHEME_WRONG");
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["an empty thumbprint", { jkt: "" }],
    ["a number", { jkt: 1 }],
    ["an unknown confirmation", { "x5t#S256": "x" }],
    ["a thumbprint and an unknown confirmation", { jkt: "x", "x5t#S256": "x" }],
  ])("with %s as cnf is invalid, not unbound", async (_, cnf) => {
    expect(await shared.verify(`Bearer ${await signToken({ cnf })}`)).toBe("TOKEN_INVALID");
  });
});

describe("a proof is accepted once (RFC 9449 section 11.1)", () => {
  it("and never again while its iat is acceptable", async () => {
    const { verify, bound, clock } = await setUp();
    const dpop = await prove(bound, { iat: start / 1000 + 60 });
    const use = () => verify(`DPoP ${bound}`, dpop);
    expect(await use()).toBe("accepted");
    expect(await use()).toBe("PROOF_REPLAYED");
    clock.time += 120_000;
    expect(await use()).toBe("PROOF_REPLAYED");
    clock.time += 1;
    expect(await use()).toBe("PROOF_TIME");
  });

  it("by exactly one of twenty concurrent requests", async () => {
    const { verify, bound } = shared;
    const dpop = await prove(bound);
    const uses = await Promise.all(Array.from({ length: 20 }, () => verify(`DPoP ${bound}`, dpop)));
    expect(uses.filter((use) => use === "accepted")).toHaveLength(1);
    expect(uses.filter((use) => use === "PROOF_REPLAYED")).toHaveLength(19);
  });

  it("a rejected request does not use it up", async () => {
    const { verifier, verify, bound } = shared;
    const dpop = await prove(bound);
    const authorization = `DPoP ${bound}`;
    const elsewhere = { method: "POST", url: "https://broker.example.com/other", authorization, dpop };
    expect(await outcomeOf(verifier.verify(elsewhere))).toBe("PROOF_URL");
    expect(await verify(authorization, dpop)).toBe("accepted");
  });

  it.each([
    ["PROOF_LIMIT", { capacityPerKey: 1 }],
    ["REPLAY_CACHE_FULL", { capacity: 1, capacityPerKey: 2 }],
  ])("a proof that cannot be recorded is rejected: %s", async (reason, options) => {
    const { verify, bound } = await setUp({ replayCache: createReplayCache(options) });
    expect(await verify(`DPoP ${bound}`, await prove(bound))).toBe("accepted");
    expect(await verify(`DPoP ${bound}`, await prove(bound))).toBe(reason);
  });

  it("a replay cache that fails is REPLAY_CACHE_UNAVAILABLE, with its error as the cause", async () => {
    const down = new Error("down");
    const { verifier, bound } = await setUp({ replayCache: { record: () => Promise.reject(down) } });
    const verification = verifier.verify({ ...request, authorization: `DPoP ${bound}`, dpop: await prove(bound) });
    await expect(verification).rejects.toMatchObject({ reason: "REPLAY_CACHE_UNAVAILABLE", status: 503, cause: down });
  });
});

describe("clock differences within the window are tolerated", () => {
  it.each([
    [undefined, 61, "PROOF_TIME"],
    [5, 5, "accepted"],
    [5, -6, "PROOF_TIME"],
  ])("window %s s, the holder's clock %d s off: %s", async (window, offset, outcome) => {
    const { verify, bound } = await setUp(window === undefined ? {} : { proofWindowSeconds: window });
    expect(await verify(`DPoP ${bound}`, await prove(bound, { iat: start / 1000 + offset }))).toBe(outcome);
  });

  it.each([-1, 604_801, Number.NaN])("rejects keys that may be %d s old", async (maxKeyAgeSeconds) => {
    await expect(setUp({ maxKeyAgeSeconds })).rejects.toThrow(TypeError);
  });

  it.each([
    ["nbf", 30, "accepted"],
    ["nbf", 31, "TOKEN_INVALID"],
  ])("a token with the %s %d s ahead: %s", async (claim, seconds, outcome) => {
    const { verify } = await setUp();
    expect(await verify(`Bearer ${await signToken({ [claim]: start / 1000 + seconds })}`)).toBe(outcome);
  });

  it.each([0, -1, 601, Number.NaN, Number.POSITIVE_INFINITY])("rejects a window of %d s", async (seconds) => {
    await expect(setUp({ proofWindowSeconds: seconds })).rejects.toThrow(TypeError);
  });

  it("a token is rejected at its exp, without leeway", async () => {
    const { verify, bearer, clock } = await setUp();
    clock.time += 899_999;
    expect(await verify(`Bearer ${bearer}`)).toBe("accepted");
    clock.time += 1;
    expect(await verify(`Bearer ${bearer}`)).toBe("TOKEN_EXPIRED");
  });
});

describe("the token is checked (RFC 9068 section 4)", () => {
  it.each([undefined, "", "Bearer", "Bearer ", "Basic dTpw", "Bearer a b", "BearerX", "Bearer\ta.b.c"])(
    "%j contains no token",
    async (authorization) => {
      expect(await shared.verify(authorization)).toBe("TOKEN_MISSING");
    },
  );

  const stranger = generateKeyPairSync("ed25519").privateKey;
  it.each<[string, string, () => Promise<string>]>([
    ["a JWT of 10 000 characters", "TOKEN_INVALID", () => signToken({ more: "x".repeat(10_000) })],
    ["another key's signature", "TOKEN_INVALID", () => signToken({}, {}, stranger)],
    ["an unknown kid", "TOKEN_INVALID", () => signToken({}, { kid: "unknown" }, stranger)],
    ["no kid", "TOKEN_INVALID", () => signToken({}, { kid: undefined })],
    ["a key in its header (jwk)", "TOKEN_INVALID", () => signToken({}, { kid: "own", jwk: holderJwk }, stranger)],
    ["EdDSA", "TOKEN_INVALID", () => signToken({}, { alg: "EdDSA" })],
    ["HS256", "TOKEN_INVALID", () => signToken({}, { alg: "HS256" }, Buffer.alloc(32))],
    ["typ JWT", "TOKEN_INVALID", () => signToken({}, { typ: "JWT" })],
    ["no sub", "TOKEN_INVALID", () => signToken({ sub: undefined })],
    ["no exp", "TOKEN_INVALID", () => signToken({ exp: undefined })],
    ["no role", "TOKEN_INVALID", () => signToken({ role: undefined })],
    ["a tenant that is a number", "TOKEN_INVALID", () => signToken({ tenant_id: 1 })],
    ["scopes as a list", "TOKEN_INVALID", () => signToken({ scope: ["a:b"] })],
    ["another issuer", "TOKEN_FOREIGN", () => signToken({ iss: "other" })],
    ["another audience", "TOKEN_FOREIGN", () => signToken({ aud: "other" })],
  ])("%s: %s", async (_, reason, token) => {
    expect(await shared.verify(`Bearer ${await token()}`)).toBe(reason);
  });

  it.each([
    [["a:b"], "accepted"],
    [["c:d", "a:b"], "accepted"],
    [["a"], "INSUFFICIENT_SCOPE"],
  ])("required scopes %j: %s", async (requiredScopes, outcome) => {
    const authorization = `Bearer ${shared.bearer}`;
    const verification = shared.verifier.verify({ ...request, authorization, dpop: undefined, requiredScopes });
    expect(await outcomeOf(verification)).toBe(outcome);
  });
});

describe("the issuer's keys by URL (RFC 7517)", () => {
  describe("RFC 5861 section 4: while they cannot be fetched, the last ones are used", () => {
    const down = () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }));
    const up = async () => Response.json(jwks);
    const without = async () => Response.json({ keys: [] });

    /** Sets up a verifier whose keys were fetched once. */
    async function withKeys(options: Partial<BrokerTokenVerifierOptions> = {}) {
      const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(up);
      onTestFinished(() => fetch.mockRestore());
      const onWarning = vi.fn();
      const keys = new URL("https://ada:secret@id.example/jwks.json?canary");
      const { clock, verify } = await setUp({ keys, onWarning, ...options });
      const outcome = async (header = {}) => verify(`Bearer ${await signToken({ exp: start }, header)}`);
      expect(await outcome()).toBe("accepted");
      return { clock, fetch, onWarning, outcome };
    }

    it.each([
      { name: "no response", answer: down, shown: "ECONNREFUSED" },
      { name: "an error", answer: async () => new Response("", { status: 503 }), shown: "ERR_JOSE_GENERIC" },
      { name: "no key set", answer: async () => Response.json({}), shown: "ERR_JWKS_INVALID" },
    ])("$name: for a day, with one warning and a fetch every 30 seconds", async ({ answer, shown }) => {
      const { clock, fetch, onWarning, outcome } = await withKeys();
      fetch.mockImplementation(answer);
      clock.time = start + 600_000;
      for (let call = 0; call < 3; call += 1) expect(await outcome()).toBe("accepted");
      clock.time += 30_000;
      expect(await outcome()).toBe("accepted");
      expect(fetch).toHaveBeenCalledTimes(3);
      expect(onWarning.mock.calls).toEqual([
        [
          `The keys at https://id.example/jwks.json cannot be fetched (${shown}). The last ones are used until 2026-01-02T00:00:00.000Z, then every token is rejected. Check the platform and the network.`,
        ],
      ]);
      clock.time = start + 86_399_999;
      expect(await outcome()).toBe("accepted");
      clock.time += 1;
      expect(await outcome()).toBe("KEYS_EXPIRED");
      fetch.mockImplementation(up);
      expect(await outcome()).toBe("accepted");
    });

    it("only one request waits for a fetch once one has failed", async () => {
      const { clock, fetch, outcome } = await withKeys();
      fetch.mockImplementation(down);
      clock.time = start + 600_000;
      expect(await outcome()).toBe("accepted");
      const fetching = new Promise<(answer: Response) => void>((started) => {
        fetch.mockImplementation(() => new Promise(started));
      });
      clock.time += 30_000;
      const waiting = outcome();
      const respond = await fetching;
      expect(await outcome()).toBe("accepted");
      respond(await up());
      expect(await waiting).toBe("accepted");
    });

    it("until the limit that is set, and warns again in the next outage, also if the hook throws", async () => {
      const onWarning = vi.fn().mockThrow(new Error("no log"));
      const { clock, fetch, outcome } = await withKeys({ maxKeyAgeSeconds: 3_600, onWarning });
      for (const outage of [1, 2]) {
        fetch.mockImplementation(down);
        clock.time += 3_599_999;
        expect(await outcome()).toBe("accepted");
        expect(onWarning).toHaveBeenCalledTimes(outage);
        clock.time += 1;
        expect(await outcome()).toBe("KEYS_EXPIRED");
        fetch.mockImplementation(up);
        expect(await outcome()).toBe("accepted");
      }
    });

    it("rejects a key that a fetched set no longer contains, also in a later outage", async () => {
      const { clock, fetch, outcome } = await withKeys();
      fetch.mockImplementation(without);
      clock.time += 600_000;
      expect(await outcome()).toBe("TOKEN_INVALID");
      fetch.mockImplementation(down);
      clock.time += 600_000;
      expect(await outcome()).toBe("KEYS_UNAVAILABLE");
    });

    it("an unknown kid causes a fetch, at most every 30 seconds", async () => {
      const { clock, fetch, outcome } = await withKeys();
      const unknown = () => outcome({ kid: "unknown" });
      for (const header of [{ kid: "unknown" }, { kid: undefined }, { alg: "EdDSA" }])
        expect(await outcome(header)).toBe("TOKEN_INVALID");
      expect(fetch).toHaveBeenCalledTimes(1);
      clock.time += 30_000;
      expect(await Promise.all([unknown(), unknown()])).toEqual(["TOKEN_INVALID", "TOKEN_INVALID"]);
      expect(fetch).toHaveBeenCalledTimes(2);
      fetch.mockImplementation(down);
      clock.time += 30_000;
      expect([await unknown(), await unknown(), await outcome()]).toEqual([
        "KEYS_UNAVAILABLE",
        "KEYS_UNAVAILABLE",
        "accepted",
      ]);
      expect(fetch).toHaveBeenCalledTimes(3);
    });

    it("fetches them after the clock was set back, because their age is not known", async () => {
      const { clock, fetch, outcome } = await withKeys();
      fetch.mockImplementation(without);
      clock.time -= 2 * 86_400_000;
      expect(await outcome()).toBe("TOKEN_INVALID");
    });
  });

  it("cannot be loaded: KEYS_UNAVAILABLE, which says nothing about the token", async () => {
    const { verify, bearer } = await setUp({ keys: new URL("http://127.0.0.1:1/jwks.json") });
    expect(await verify(`Bearer ${bearer}`)).toBe("KEYS_UNAVAILABLE");
  });
});

describe("any request is either accepted or rejected with a BrokerTokenError", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("a.b.c"));

  it("with any header fields", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.option(text, { nil: undefined }), text, async (credentials, dpop, url) => {
        for (const authorization of [credentials, `Bearer ${credentials}`, `DPoP ${credentials}`]) {
          const outcome = await outcomeOf(shared.verifier.verify({ method: "POST", url, authorization, dpop }));
          expect(outcome).toMatch(/^TOKEN_/);
        }
      }),
    );
  });

  it("with any proof next to a valid token", async () => {
    const json = fc.json().map((value) => Buffer.from(value).toString("base64url"));
    const member = fc.record(
      {
        typ: fc.constant("dpop+jwt"),
        alg: fc.constantFrom("ES256", "Ed25519"),
        jwk: fc.oneof(fc.jsonValue(), fc.constant(holderJwk)),
      },
      { requiredKeys: [] },
    );
    const header = member.map((value) => Buffer.from(JSON.stringify(value)).toString("base64url"));
    const proof = fc.oneof(
      text,
      fc.tuple(fc.oneof(json, header), json, text).map((parts) => parts.join(".")),
    );
    await fc.assert(
      fc.asyncProperty(proof, async (dpop) => {
        expect(await shared.verify(`DPoP ${shared.bound}`, dpop)).toMatch(/^PROOF_/);
      }),
    );
  });

  it("with any one character of a valid request changed", async () => {
    const { bound, verify } = shared;
    const dpop = await prove(bound);
    const anywhere = fc.nat({ max: dpop.length + bound.length - 1 });
    await fc.assert(
      fc.asyncProperty(anywhere, fc.constantFrom("A", "b", "0", "-", "."), async (place, character) => {
        const all = `${bound}${dpop}`;
        fc.pre(all[place] !== character);
        const changed = `${all.slice(0, place)}${character}${all.slice(place + 1)}`;
        const outcome = await verify(`DPoP ${changed.slice(0, bound.length)}`, changed.slice(bound.length));
        // The last character of a signature has unused bits: changing only those gives the same proof, which is accepted once.
        const signatureEnds = [bound.length - 1, all.length - 1];
        if (!signatureEnds.includes(place)) expect(outcome).toMatch(/^(TOKEN|PROOF)_/);
      }),
    );
  });
});

it("an error contains neither token nor proof, its cause included", async () => {
  const { verifier, bound } = shared;
  const dpop = await prove(bound);
  const expired = await signToken({ exp: start / 1000 - 1 });
  const [head, , tail] = dpop.split(".");
  const forged = [head, Buffer.from("{}").toString("base64url"), tail].join(".");
  for (const [authorization, proof] of [
    [`Bearer ${expired}`, undefined],
    [`Bearer ${bound}x`, undefined],
    [`DPoP ${bound}`, `${dpop}x`],
    [`DPoP ${bound}`, forged],
  ] as const) {
    const error = await verifier.verify({ ...request, authorization, dpop: proof }).catch((error: unknown) => error);
    const shown = `${inspect(error, { depth: 10 })}${JSON.stringify(error)}`;
    for (const secret of [...`${authorization}`.slice(7).split("."), ...(proof ?? "").split(".")])
      if (secret.length > 20) expect(shown).not.toContain(secret);
  }
});

it.each([
  { name: "issuer", value: undefined },
  { name: "issuer", value: "" },
  { name: "audience", value: undefined },
  { name: "audience", value: "" },
  { name: "audience", value: ["broker"] },
  { name: "keys", value: undefined },
  { name: "keys", value: "https://id.example/.well-known/jwks.json" },
])("does not create a verifier whose $name is $value at run time, because it would not check it", ({ name, value }) => {
  const options: object = { ...shared.settings, [name]: value };
  expect(() => Reflect.apply(createBrokerTokenVerifier, undefined, [options])).toThrow(
    expect.objectContaining({
      name: "TypeError",
      message: expect.stringContaining(`createBrokerTokenVerifier: ${name} `),
    }),
  );
});
