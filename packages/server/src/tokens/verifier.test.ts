import { createPublicKey, sign as cryptoSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { EncryptJWT, exportJWK, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createKeyRing } from "./key-ring.js";
import { createMemoryKeyStore } from "./memory-key-store.js";
import { createTokenVerifier } from "./verifier.js";

const start = Date.UTC(2026, 0, 1);
const seconds = start / 1000;
const claims: Record<string, unknown> = {
  iss: "iss",
  sub: "p-1",
  aud: "api",
  exp: seconds + 900,
  iat: seconds,
  jti: "jti-1",
  client_id: "c-1",
  scope: "a:b c:d",
  tenant_id: "t-1",
  grant_id: "g-1",
};
const stranger = generateKeyPairSync("ed25519").privateKey;

async function createFixture(at = start) {
  const clock = fakeClock(start);
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  clock.advance(at - start);
  const kid = keyRing.currentKeyId();
  const key = keyRing.privateKey(kid);
  if (key === undefined) throw new Error("no key");
  return {
    clock,
    keyRing,
    kid,
    key,
    verifier: createTokenVerifier({ keyRing, issuer: "iss", audience: "api", clock }),
  };
}
let fixture: Awaited<ReturnType<typeof createFixture>>;
beforeAll(async () => {
  fixture = await createFixture();
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (
  payload: Record<string, unknown>,
  header: Record<string, unknown> = {},
  key: KeyObject | Uint8Array = fixture.key,
) => new SignJWT(payload).setProtectedHeader({ typ: "at+jwt", alg: "Ed25519", kid: fixture.kid, ...header }).sign(key);
/** Signs tokens that jose refuses to sign. */
const signText = (header: string, payload: string) => {
  const input = `${Buffer.from(header).toString("base64url")}.${Buffer.from(payload).toString("base64url")}`;
  return `${input}.${cryptoSign(null, Buffer.from(input), fixture.key).toString("base64url")}`;
};
const headerWith = (members: Record<string, unknown>) =>
  JSON.stringify({ typ: "at+jwt", alg: "Ed25519", kid: fixture.kid, ...members });
const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

describe("the verifier of the platform's tokens (RFC 9068 section 4)", () => {
  it("returns the claims of a valid token", async () => {
    expect(await fixture.verifier.verify(await sign(claims))).toEqual({
      tenantId: "t-1",
      principalId: "p-1",
      oauthClientId: "c-1",
      tokenId: "jti-1",
      grantId: "g-1",
      scopes: ["a:b", "c:d"],
      expiresAt: start + 900_000,
    });
  });

  it.each(["iat", "nbf"])("accepts %s up to 30 s in the future, and not later: clocks differ", async (name) => {
    expect(await fixture.verifier.verify(await sign({ ...claims, [name]: seconds + 30 }))).toBeDefined();
    expect(await fixture.verifier.verify(await sign({ ...claims, [name]: seconds + 31 }))).toBeUndefined();
  });

  it.each([
    ["in the last millisecond", 899_999, true],
    ["at exp", 900_000, false],
    ["after exp", 900_001, false],
  ])("applies expiry without leeway: %s", async (_, after, accepted) => {
    const { clock, keyRing } = fixture;
    const later = { now: () => clock.now() + after };
    const verifier = createTokenVerifier({ keyRing, issuer: "iss", audience: "api", clock: later });
    expect((await verifier.verify(await sign(claims))) !== undefined).toBe(accepted);
  });

  it.each<[string, () => string | Promise<string>]>([
    ["signed by another key", () => sign(claims, {}, stranger)],
    ["kid unknown", () => sign(claims, { kid: "unknown" })],
    ["kid missing", () => sign(claims, { kid: undefined })],
    ["alg none", () => `${encode({ typ: "at+jwt", alg: "none", kid: fixture.kid })}.${encode(claims)}.`],
    [
      "alg HS256 with the public key as the secret (RFC 8725 section 2.1)",
      () => {
        const spki = createPublicKey(fixture.key).export({ format: "pem", type: "spki" });
        return sign(claims, { alg: "HS256" }, Buffer.from(spki));
      },
    ],
    ["alg EdDSA, the older name of the same signature", () => sign(claims, { alg: "EdDSA" })],
    ["alg ES256", () => sign(claims, { alg: "ES256" }, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)],
    ["typ JWT", () => sign(claims, { typ: "JWT" })],
    ["another issuer", () => sign({ ...claims, iss: "other" })],
    ["another audience", () => sign({ ...claims, aud: "broker" })],
    ["an unknown critical extension", () => signText(headerWith({ crit: ["x"], x: 1 }), JSON.stringify(claims))],
    [
      "the signer's own key in the header (RFC 8725 section 3.10)",
      async () => sign(claims, { kid: undefined, jwk: await exportJWK(createPublicKey(stranger)) }, stranger),
    ],
    [
      "an encrypted token",
      () =>
        new EncryptJWT(claims)
          .setProtectedHeader({ typ: "at+jwt", alg: "dir", enc: "A256GCM", kid: fixture.kid })
          .encrypt(Buffer.alloc(32)),
    ],
    [
      "an unencoded payload (RFC 7797)",
      () => signText(headerWith({ crit: ["b64"], b64: false }), JSON.stringify(claims)),
    ],
    ["a payload that is an array", () => signText(headerWith({}), "[]")],
    ["a header that is not JSON", () => signText("{", JSON.stringify(claims))],
    ["padding after the signature", async () => `${await sign(claims)}==`],
    ["an empty token", () => ""],
    ["bytes that are not base64url", () => "é€.\u0000.😀"],
    ["20 kB", () => "a".repeat(20_000)],
  ])("rejects %s", async (_, token) => {
    expect(await fixture.verifier.verify(await token())).toBeUndefined();
  });

  it.each(Object.keys(claims))("rejects a token without %s", async (name) => {
    expect(await fixture.verifier.verify(await sign(without(name)))).toBeUndefined();
  });

  it.each(
    ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "scope", "tenant_id", "grant_id"].flatMap((name) =>
      [null, true, {}, [1], name === "exp" || name === "iat" ? "1" : 1].map((value) => [name, value] as const),
    ),
  )("rejects a token in which %s is %j", async (name, value) => {
    expect(await fixture.verifier.verify(await sign({ ...claims, [name]: value }))).toBeUndefined();
  });

  it.each(["sub", "jti", "client_id", "tenant_id", "grant_id"])(
    "rejects a token in which %s is empty",
    async (name) => {
      expect(await fixture.verifier.verify(await sign({ ...claims, [name]: "" }))).toBeUndefined();
    },
  );

  it("accepts a valid token signed by signText, so that the cases above fail for their content alone", async () => {
    expect(await fixture.verifier.verify(signText(headerWith({}), JSON.stringify(claims)))).toBeDefined();
  });

  it("accepts only the canonical encoding of a signature (RFC 4648 section 3.5)", async () => {
    const token = await sign(claims);
    const spellings = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].map(
      (last) => token.slice(0, -1) + last,
    );
    const answers = await Promise.all(spellings.map((spelling) => fixture.verifier.verify(spelling)));
    expect(spellings.filter((_, index) => answers[index] !== undefined)).toEqual([token]);
  });

  it("resolves with undefined for a valid token with one character changed", async () => {
    const token = await sign(claims);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~ ";
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(token[at] !== character);
        const forged = token.slice(0, at) + character + token.slice(at + 1);
        expect(await fixture.verifier.verify(forged)).toBeUndefined();
      }),
    );
  });

  it("never throws, whatever the parts contain", async () => {
    const part = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.base64String(),
      fc.json().map((json) => Buffer.from(json).toString("base64url")),
      fc
        .record({ alg: fc.constant("Ed25519"), typ: fc.constant("at+jwt"), kid: fc.anything(), crit: fc.anything() })
        .map((header) =>
          Buffer.from(JSON.stringify(header, (_, value) => (typeof value === "bigint" ? 1 : value))).toString(
            "base64url",
          ),
        ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        expect(await fixture.verifier.verify(parts.join("."))).toBeUndefined();
      }),
    );
  });

  it("rejects with an internal error instead of reporting the token as invalid", async () => {
    const publicKey = () => {
      throw new Error("internal");
    };
    const verifier = createTokenVerifier({
      keyRing: { publicKey },
      issuer: "iss",
      audience: "api",
      clock: fixture.clock,
    });
    await expect(verifier.verify(await sign(claims))).rejects.toThrow("internal");
  });
});
