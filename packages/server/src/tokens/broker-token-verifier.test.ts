import { generateKeyPairSync, hash, type KeyObject, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import fc from "fast-check";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Grant } from "../domain/grant.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createProofReplayMemory } from "./broker-replay-memory.js";
import { type BrokerTokenVerifierOptions, createBrokerTokenVerifier } from "./broker-token-verifier.js";
import { createTokenIssuer } from "./issuer.js";
import { createKeyRing } from "./key-ring.js";
import { createMemoryKeyStore } from "./memory-key-store.js";

const holder = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = holder.publicKey.export({ format: "jwk" });
const request = { method: "POST", url: "https://broker.example.com/run?page=2" };
const start = Date.UTC(2026, 0, 1);

type Changes = Record<string, unknown>;

async function setUp(options: Partial<BrokerTokenVerifierOptions> = {}) {
  const clock = fakeClock(start);
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const keyId = keyRing.currentKeyId();
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const thumbprint = await calculateJwkThumbprint(jwk);
  const grant: Grant = {
    grantId: "g-1",
    tenantId: "t-1",
    principalId: "p-1",
    oauthClientId: "c-1",
    scopes: ["a:b", "c:d"],
    issuedAt: start / 1000,
    expiresAt: start / 1000 + 900,
    keyId,
    accessTokenId: "jti-access",
    brokerTokenId: "jti-broker",
    popKeyId: thumbprint,
  };
  const bearer = await issuer.signBrokerToken({ ...grant, popKeyId: "" });
  const bound = await issuer.signBrokerToken(grant);
  const access = await issuer.signAccessToken(grant);
  const settings = { keys: (kid: string) => keyRing.publicKey(kid), issuer: "iss", audience: "broker", clock };
  const verifier = createBrokerTokenVerifier({ ...settings, ...options });

  const key = keyRing.privateKey(keyId);
  if (key === undefined) throw new Error("no key");
  const claims: Changes = {
    ...{ iss: "iss", aud: "broker", sub: "p-1", jti: "j", client_id: "c-1", scope: "a:b", tenant_id: "t-1" },
    ...{ grant_id: "g-1", role: "agent", iat: start / 1000, exp: start / 1000 + 900 },
  };
  const sign = (changes: Changes, header: Changes = {}, by: KeyObject | Uint8Array = key) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ typ: "at+jwt", alg: "Ed25519", kid: keyId, ...header })
      .sign(by);
  const prove = (accessToken: string, changes: Changes = {}) =>
    new SignJWT({
      jti: randomUUID(),
      htm: "POST",
      htu: "https://broker.example.com/run",
      iat: clock.now() / 1000,
      ath: hash("sha256", accessToken, "base64url"),
      ...changes,
    })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
      .sign(holder.privateKey);
  const verify = async (authorization: string | undefined, dpop?: string) => {
    const result = await verifier.verify({ ...request, authorization, dpop });
    return result.ok ? "good" : result.reason;
  };
  return { clock, keyRing, verifier, bearer, bound, access, thumbprint, sign, prove, verify, settings };
}

let world: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  world = await setUp();
});

describe("a broker token that is bound to no key is a plain Bearer (RFC 6750)", () => {
  it("tells what it claims", async () => {
    const { verifier, bearer } = world;
    expect(await verifier.verify({ ...request, authorization: `Bearer ${bearer}`, dpop: undefined })).toEqual({
      ok: true,
      claims: {
        tenantId: "t-1",
        principalId: "p-1",
        oauthClientId: "c-1",
        tokenId: "jti-broker",
        grantId: "g-1",
        scopes: ["a:b", "c:d"],
        expiresAt: start + 900_000,
        role: "agent",
        popKeyId: "",
      },
    });
  });

  it("is refused when it seems to be issued more than a minute in the future: a clock was set back since", async () => {
    const { sign, verify } = world;
    expect(await verify(`Bearer ${await sign({ iat: start / 1000 + 60 })}`)).toBe("good");
    expect(await verify(`Bearer ${await sign({ iat: start / 1000 + 61 })}`)).toBe("TOKEN_INVALID");
  });

  it("is not asked for a proof, and is not made better by one", async () => {
    const { verify, bearer, prove } = world;
    expect(await verify(`bearer ${bearer}`)).toBe("good");
    expect(await verify(`Bearer ${bearer}`, "nonsense")).toBe("good");
    expect(await verify(`DPoP ${bearer}`, await prove(bearer))).toBe("SCHEME_WRONG");
  });
});

describe("a broker token with cnf.jkt is taken with a proof alone (RFC 7800, RFC 9449 section 7.1)", () => {
  it("tells whose key it is bound to", async () => {
    const { verifier, bound, prove, thumbprint } = world;
    const dpop = await prove(bound);
    expect(await verifier.verify({ ...request, authorization: `DPoP ${bound}`, dpop })).toMatchObject({
      ok: true,
      claims: { popKeyId: thumbprint, tokenId: "jti-broker" },
    });
  });

  it("takes the fields of a request as lists", async () => {
    const { verifier, bound, prove } = world;
    const authorization = `DPoP ${bound}`;
    const [one, two] = [await prove(bound), await prove(bound)];
    expect((await verifier.verify({ ...request, authorization, dpop: [one] })).ok).toBe(true);
    expect(await verifier.verify({ ...request, authorization, dpop: [one, two] })).toEqual({
      ok: false,
      reason: "PROOF_NOT_SINGLE",
    });
  });

  it("is worth nothing without, or as Bearer (section 7.2)", async () => {
    const { verify, bound, prove } = world;
    expect(await verify(`DPoP ${bound}`)).toBe("PROOF_MISSING");
    expect(await verify(`Bearer ${bound}`)).toBe("SCHEME_WRONG");
    expect(await verify(`Bearer ${bound}`, await prove(bound))).toBe("SCHEME_WRONG");
  });

  it("is not taken with a proof of another key, or for another token", async () => {
    const { verify, bound, bearer, prove, sign } = world;
    const others = await sign({ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } });
    expect(await verify(`DPoP ${others}`, await prove(others))).toBe("PROOF_KEY_UNBOUND");
    expect(await verify(`DPoP ${bound}`, await prove(bearer))).toBe("PROOF_TOKEN");
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["text", "jkt"],
    ["nothing", {}],
    ["an empty thumbprint", { jkt: "" }],
    ["a number", { jkt: 1 }],
    ["a confirmation that is not understood", { "x5t#S256": "x" }],
    ["one that is not understood besides", { jkt: "x", "x5t#S256": "x" }],
  ])("bound to %s is bound to what cannot be proved, not to nothing", async (_, cnf) => {
    const { verify, sign } = world;
    expect(await verify(`Bearer ${await sign({ cnf })}`)).toBe("TOKEN_INVALID");
  });
});

describe("a proof is good once (RFC 9449 section 11.1)", () => {
  it("and not again, as long as its time is right", async () => {
    const { verify, bound, prove, clock } = await setUp();
    const dpop = await prove(bound, { iat: start / 1000 + 60 });
    const use = () => verify(`DPoP ${bound}`, dpop);
    expect(await use()).toBe("good");
    expect(await use()).toBe("PROOF_REPLAYED");
    clock.advance(120_000);
    expect(await use()).toBe("PROOF_REPLAYED");
    clock.advance(1);
    expect(await use()).toBe("PROOF_TIME");
  });

  it("for exactly one of those who use it at once", async () => {
    const { verify, bound, prove } = world;
    const dpop = await prove(bound);
    const uses = await Promise.all(Array.from({ length: 20 }, () => verify(`DPoP ${bound}`, dpop)));
    expect(uses.filter((use) => use === "good")).toHaveLength(1);
    expect(uses.filter((use) => use === "PROOF_REPLAYED")).toHaveLength(19);
  });

  it("is not used up by a holder of another key who happens to use its jti", async () => {
    const { verify, bound, prove, sign } = world;
    const other = generateKeyPairSync("ed25519");
    const otherJwk = other.publicKey.export({ format: "jwk" });
    const others = await sign({ cnf: { jkt: await calculateJwkThumbprint(otherJwk) } });
    const theirs = await new SignJWT({
      ...{ jti: "same", htm: "POST", htu: "https://broker.example.com/run" },
      ...{ iat: start / 1000, ath: hash("sha256", others, "base64url") },
    })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "Ed25519", jwk: otherJwk })
      .sign(other.privateKey);
    expect(await verify(`DPoP ${others}`, theirs)).toBe("good");
    expect(await verify(`DPoP ${bound}`, await prove(bound, { jti: "same" }))).toBe("good");
  });

  it("is not used up by a request that is refused", async () => {
    const { verifier, verify, bound, prove } = world;
    const dpop = await prove(bound);
    const elsewhere = { method: "POST", url: "https://broker.example.com/other" };
    const authorization = `DPoP ${bound}`;
    expect(await verifier.verify({ ...elsewhere, authorization, dpop })).toEqual({ ok: false, reason: "PROOF_URL" });
    expect(await verify(authorization, dpop)).toBe("good");
  });

  it.each([
    ["PROOF_LIMIT", { capacityOfKey: 1 }],
    ["PROOF_MEMORY_FULL", { capacity: 1, capacityOfKey: 2 }],
  ])("is refused as %s when it cannot be remembered", async (reason, options) => {
    const { verify, bound, prove } = await setUp({ replayMemory: createProofReplayMemory(options) });
    expect(await verify(`DPoP ${bound}`, await prove(bound))).toBe("good");
    expect(await verify(`DPoP ${bound}`, await prove(bound))).toBe(reason);
  });

  it("rejects as the memory does: what is not known is not good", async () => {
    const replayMemory = { remember: () => Promise.reject(new Error("down")) };
    const { verify, bound, prove } = await setUp({ replayMemory });
    await expect(verify(`DPoP ${bound}`, await prove(bound))).rejects.toThrow("down");
  });
});

describe("clocks differ", () => {
  it.each([
    [undefined, 60, "good"],
    [undefined, -60, "good"],
    [undefined, 61, "PROOF_TIME"],
    [undefined, -61, "PROOF_TIME"],
    [5, 5, "good"],
    [5, -6, "PROOF_TIME"],
  ])("window %s s, the holder's clock %d s off: %s", async (window, off, answer) => {
    const { verify, bound, prove } = await setUp(window === undefined ? {} : { proofWindowSeconds: window });
    expect(await verify(`DPoP ${bound}`, await prove(bound, { iat: start / 1000 + off }))).toBe(answer);
  });

  it.each([0, -1, 601, Number.NaN, Number.POSITIVE_INFINITY])(
    "a window of %d s is none",
    async (proofWindowSeconds) => {
      await expect(setUp({ proofWindowSeconds })).rejects.toThrow(RangeError);
    },
  );

  it("a token has no leeway", async () => {
    const { verify, bearer, clock } = await setUp();
    clock.advance(899_999);
    expect(await verify(`Bearer ${bearer}`)).toBe("good");
    clock.advance(1);
    expect(await verify(`Bearer ${bearer}`)).toBe("TOKEN_EXPIRED");
  });
});

describe("the token itself (RFC 9068 section 4)", () => {
  it.each([undefined, "", "Bearer", "Bearer ", "Basic dTpw", "Bearer a b", "BearerX", "Bearer\ta.b.c"])(
    "no token in %j",
    async (authorization) => {
      expect(await world.verify(authorization)).toBe("TOKEN_MISSING");
    },
  );

  const stranger = generateKeyPairSync("ed25519").privateKey;
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  it.each<[string, string, () => Promise<string>]>([
    ["no JWT", "TOKEN_INVALID", async () => "abc"],
    ["a JWT of 10 000 characters", "TOKEN_INVALID", () => world.sign({ more: "x".repeat(10_000) })],
    ["another key's", "TOKEN_INVALID", () => world.sign({}, {}, stranger)],
    ["an unknown key's", "TOKEN_INVALID", () => world.sign({}, { kid: "unknown" }, stranger)],
    ["no key's", "TOKEN_INVALID", () => world.sign({}, { kid: undefined })],
    ["a key of its own (jwk)", "TOKEN_INVALID", () => world.sign({}, { kid: "own", jwk }, stranger)],
    ["EdDSA", "TOKEN_INVALID", () => world.sign({}, { alg: "EdDSA" })],
    ["ES256", "TOKEN_INVALID", () => world.sign({}, { alg: "ES256" }, p256)],
    ["HS256", "TOKEN_INVALID", () => world.sign({}, { alg: "HS256" }, Buffer.alloc(32))],
    ["typ JWT", "TOKEN_INVALID", () => world.sign({}, { typ: "JWT" })],
    ["typ dpop+jwt", "TOKEN_INVALID", () => world.sign({}, { typ: "dpop+jwt" })],
    ["no sub", "TOKEN_INVALID", () => world.sign({ sub: undefined })],
    ["no exp", "TOKEN_INVALID", () => world.sign({ exp: undefined })],
    ["no role", "TOKEN_INVALID", () => world.sign({ role: undefined })],
    ["a tenant that is a number", "TOKEN_INVALID", () => world.sign({ tenant_id: 1 })],
    ["scopes as a list", "TOKEN_INVALID", () => world.sign({ scope: ["a:b"] })],
    ["another issuer", "TOKEN_FOREIGN", () => world.sign({ iss: "other" })],
    ["no issuer", "TOKEN_FOREIGN", () => world.sign({ iss: undefined })],
    ["another audience", "TOKEN_FOREIGN", () => world.sign({ aud: "other" })],
    ["the access token of the same grant", "TOKEN_FOREIGN", async () => world.access],
  ])("%s: %s", async (_, reason, token) => {
    expect(await world.verify(`Bearer ${await token()}`)).toBe(reason);
  });
});

describe("the issuer's keys, by URL (RFC 7517)", () => {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(world.keyRing.jwks()));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)));
  const port = () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return address.port;
  };
  const verifyBy = async (keys: URL, token: string) => {
    const verifier = createBrokerTokenVerifier({ ...world.settings, keys });
    const result = await verifier.verify({ ...request, authorization: `Bearer ${token}`, dpop: undefined });
    return result.ok ? "good" : result.reason;
  };

  it("are fetched", async () => {
    const url = new URL(`http://127.0.0.1:${port()}/.well-known/jwks.json`);
    expect(await verifyBy(url, world.bearer)).toBe("good");
    expect(await verifyBy(url, await world.sign({}, { kid: "unknown" }))).toBe("TOKEN_INVALID");
    expect(await verifyBy(url, await world.sign({}, { alg: "EdDSA" }))).toBe("TOKEN_INVALID");
  });

  it("that cannot be had say nothing of the token", async () => {
    expect(await verifyBy(new URL("http://127.0.0.1:1/jwks.json"), world.bearer)).toBe("KEYS_UNAVAILABLE");
  });
});

describe("whatever a request holds, there is an answer", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("a.b.c"));

  it("to any header fields", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.option(text, { nil: undefined }), text, async (credentials, dpop, url) => {
        for (const authorization of [credentials, `Bearer ${credentials}`, `DPoP ${credentials}`]) {
          const result = await world.verifier.verify({ method: "POST", url, authorization, dpop });
          expect(result.ok).toBe(false);
        }
      }),
    );
  });

  it("to any proof beside a good token", async () => {
    const json = fc.json().map((value) => Buffer.from(value).toString("base64url"));
    const member = fc.record(
      {
        typ: fc.constant("dpop+jwt"),
        alg: fc.constantFrom("ES256", "Ed25519"),
        jwk: fc.oneof(fc.jsonValue(), fc.constant(jwk)),
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
        expect(await world.verify(`DPoP ${world.bound}`, dpop)).toMatch(/^PROOF_/);
      }),
    );
  });

  it("to any one character of a good request changed", async () => {
    const { bound, prove, verify } = world;
    const dpop = await prove(bound);
    const anywhere = fc.nat({ max: dpop.length + bound.length - 1 });
    await fc.assert(
      fc.asyncProperty(anywhere, fc.constantFrom("A", "b", "0", "-", "."), async (place, character) => {
        const all = `${bound}${dpop}`;
        fc.pre(all[place] !== character);
        const changed = `${all.slice(0, place)}${character}${all.slice(place + 1)}`;
        const answer = await verify(`DPoP ${changed.slice(0, bound.length)}`, changed.slice(bound.length));
        // The last character of a signature has bits that stand for nothing: the proof is then the same, and good once.
        const signatureEnds = [bound.length - 1, all.length - 1];
        if (!signatureEnds.includes(place)) expect(answer).toMatch(/^(TOKEN|PROOF)_/);
      }),
    );
  });
});
