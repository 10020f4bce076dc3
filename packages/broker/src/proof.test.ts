import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "./fixtures/issuer.js";
import { checkProof, type ExpectedProof, normalizeTargetUri, sha256, verifyProof } from "./proof.js";

/** RFC 9449 section 7.1, figures 12 and 13. */
const example = {
  proof: [
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19",
    "eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9",
    "2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA",
  ].join("."),
  accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
  thumbprint: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
  issuedAt: 1_562_262_618_000,
};
const expected: ExpectedProof = {
  proofs: [example.proof],
  method: "GET",
  url: "https://resource.example.org/protectedresource",
  accessToken: example.accessToken,
  thumbprint: example.thumbprint,
  now: example.issuedAt,
  windowMs: 60_000,
};

/** A proof of @platform-rpc/client/pop with the key of RFC 8037 appendix A.1. Its own test expects the same text. */
const clientProof: ExpectedProof = {
  proofs: [
    [
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVkMjU1MTkiLCJqd2siOnsia3R5IjoiT0tQIiwiY3J2IjoiRWQyNTUxOSIsIngiOiIxMXFZQVlLeENyZlZTXzdUeVdRSE9nN2hjdlBhcGlNbHJ3SWFhUGNIVVJvIn19",
      "eyJqdGkiOiIwMTkyZjBjMS03ZDVlLTRhNTQtOWQwZS00YjJmNmY1ZjFhMTEiLCJodG0iOiJQT1NUIiwiaHR1IjoiaHR0cHM6Ly9icm9rZXIuZXhhbXBsZS5jb20vcnVuIiwiaWF0IjoxNzY3MjI1NjAwLCJhdGgiOiJFSXZEV005UVlpeWIwT1NMMzUyeUV2djc0NDIzWmRoVnRfSWhPb1ZuX2h3In0",
      "jFmGkEq8oYey6O7X6DMdY1a4WVcjCpXvY6Ulh2CxSyX9i1NDYhG4mLnnumPQhZG2027mkAt4HkpcC0s3WUT4Ag",
    ].join("."),
  ],
  method: "POST",
  url: "https://broker.example.com/run?page=2",
  accessToken: "token-of-the-example",
  thumbprint: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  now: 1_767_225_600_000,
  windowMs: 60_000,
};

describe("accepts proofs of other implementations", () => {
  it("the example of RFC 9449 section 7.1", async () => {
    expect(await checkProof(expected)).toEqual({
      thumbprint: example.thumbprint,
      proofId: sha256(`${example.thumbprint}.e1j3V_bKic8-LAEB`),
      issuedAt: example.issuedAt,
      nonce: undefined,
    });
  });

  it("a proof of @platform-rpc/client/pop", async () => {
    expect(await checkProof(clientProof)).toEqual({
      thumbprint: clientProof.thumbprint,
      proofId: sha256(`${clientProof.thumbprint}.0192f0c1-7d5e-4a54-9d0e-4b2f6f5f1a11`),
      issuedAt: clientProof.now,
      nonce: undefined,
    });
  });
});

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed25519 = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = publicKey.export({ format: "jwk" });
const claims = {
  jti: "1",
  htm: "GET",
  htu: expected.url,
  iat: example.issuedAt / 1000,
  ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
};
const sign = (changes: object = {}, header: object = {}, key: Parameters<SignJWT["sign"]>[0] = privateKey) =>
  new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk, ...header })
    .sign(key);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const check = async (proof: string | Promise<string>, changes: Partial<ExpectedProof> = {}) => {
  return outcomeOf(checkProof({ ...expected, proofs: [await proof], ...changes }));
};
const header = { typ: "dpop+jwt", alg: "ES256", jwk };
const altered = async (part: 0 | 1 | 2, value: string) => (await sign()).split(".").with(part, value).join(".");
const { crv, x, y } = jwk;

/** A proof that no private key signed: with the neutral point as R and as the key, S = 0 verifies for every message. */
function forgedProof(): string {
  const neutral = Buffer.from([1, ...Array(31).fill(0)]);
  const key = { kty: "OKP", crv: "Ed25519", x: neutral.toString("base64url") };
  const signature = Buffer.concat([neutral, Buffer.alloc(32)]).toString("base64url");
  return [encode({ ...header, alg: "Ed25519", jwk: key }), encode(claims), signature].join(".");
}

describe("RFC 9449 section 4.3, check by check", () => {
  it.each<[string, string, () => string | Promise<string>, Partial<ExpectedProof>?]>([
    ["1. no DPoP header field", "PROOF_MISSING", () => "", { proofs: [] }],
    ["1. two fields", "PROOF_NOT_SINGLE", () => "", { proofs: [example.proof, example.proof] }],
    ["1. two fields, joined", "PROOF_NOT_SINGLE", () => `${example.proof}, ${example.proof}`],
    ["2. an empty field", "PROOF_MALFORMED", () => ""],
    ["2. a header that is not JSON", "PROOF_MALFORMED", () => altered(0, "e30x")],
    ["2. base64 padding", "PROOF_MALFORMED", async () => altered(1, `${encode(claims)}=`)],
    ["2. more than 8192 characters", "PROOF_MALFORMED", () => sign({ jti: "x".repeat(8192) })],
    ["2. a critical extension", "PROOF_MALFORMED", () => altered(0, encode({ ...header, crit: ["b64"], b64: false }))],
    ["3. no jti", "PROOF_MALFORMED", () => sign({ jti: undefined })],
    ["3. an empty jti", "PROOF_MALFORMED", () => sign({ jti: "" })],
    ["3. a jti that is a number", "PROOF_MALFORMED", () => altered(1, encode({ ...claims, jti: 1 }))],
    ["3. no htm", "PROOF_MALFORMED", () => sign({ htm: undefined })],
    ["3. no htu", "PROOF_MALFORMED", () => sign({ htu: undefined })],
    ["3. no iat", "PROOF_MALFORMED", () => sign({ iat: undefined })],
    ["3. an iat that is text", "PROOF_MALFORMED", () => altered(1, encode({ ...claims, iat: `${claims.iat}` }))],
    ["4. another typ", "PROOF_TYPE", () => sign({}, { typ: "jwt" })],
    ["5. none", "PROOF_ALGORITHM", () => altered(0, encode({ ...header, alg: "none" }))],
    ["5. a symmetric algorithm", "PROOF_ALGORITHM", () => sign({}, { alg: "HS256" }, Buffer.alloc(32))],
    ["5. RS256", "PROOF_ALGORITHM", () => sign({}, { alg: "RS256" }, rsa.privateKey)],
    [
      "5. EdDSA, the name that RFC 9864 deprecates",
      "PROOF_ALGORITHM",
      () => sign({}, { alg: "EdDSA" }, ed25519.privateKey),
    ],
    [
      "6. another key's signature",
      "PROOF_SIGNATURE",
      () => sign({}, {}, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
    ],
    ["6. changed claims", "PROOF_SIGNATURE", () => altered(1, encode({ ...claims, jti: "2" }))],
    ["6. a signature that is not base64url", "PROOF_SIGNATURE", () => altered(2, "ä")],
    ["6. no jwk", "PROOF_KEY", () => sign({}, { jwk: undefined })],
    [
      "6. a key of another type than alg",
      "PROOF_KEY",
      () => sign({}, { jwk: ed25519.publicKey.export({ format: "jwk" }) }),
    ],
    ["6. a point off the curve", "PROOF_KEY", () => sign({}, { jwk: { kty: "EC", crv, x, y: x } })],
    ["6. a key of small order, for which Node 22 verifies signatures that anyone can make", "PROOF_KEY", forgedProof],
    ["7. a private key", "PROOF_KEY", () => sign({}, { jwk: privateKey.export({ format: "jwk" }) })],
    ["7. any private member", "PROOF_KEY", () => sign({}, { jwk: { kty: "EC", crv, x, y, k: "" } })],
    ["8. another method", "PROOF_METHOD", () => sign({ htm: "POST" })],
    ["8. the method in lower case (RFC 9110 section 9.1)", "PROOF_METHOD", () => sign({ htm: "get" })],
    ["9. another path", "PROOF_URL", () => sign({ htu: `${expected.url}/other` })],
    ["9. another scheme", "PROOF_URL", () => sign({ htu: "http://resource.example.org/protectedresource" })],
    ["11. too old", "PROOF_TIME", () => sign({ iat: claims.iat - 61 })],
    ["11. too far ahead", "PROOF_TIME", () => sign({ iat: claims.iat + 61 })],
    ["11. a time out of range", "PROOF_TIME", () => sign({ iat: 1e308 })],
    ["12. no ath", "PROOF_TOKEN", () => sign({ ath: undefined })],
    ["12. the ath of another token", "PROOF_TOKEN", () => sign(), { accessToken: "another" }],
    ["12. a key that the token is not bound to", "PROOF_KEY_MISMATCH", () => sign()],
  ])("%s: %s", async (_, reason, proof, changes) => {
    expect(await check(await proof(), changes)).toBe(reason);
  });

  it.each([
    ["9. another spelling of the URL", { htu: "HTTPS://Resource.Example.org:443/a/../%70rotectedresource?a=b#c" }],
    ["10. a nonce that was not requested", { nonce: "n" }],
    ["11. at the start of the window", { iat: claims.iat - 60 }],
    ["11. at the end of the window", { iat: claims.iat + 60 }],
    ["a fraction of a second", { iat: claims.iat + 0.5 }],
    ["unknown claims", { more: true }],
  ])("%s: accepted", async (_, changes) => {
    expect(await check(sign(changes), { thumbprint: await calculateJwkThumbprint(jwk) })).toBe("accepted");
  });
});

describe("the proof of a request without a token (RFC 9449 section 5)", () => {
  const request = { method: "GET", url: expected.url, now: expected.now, windowMs: 60_000 };

  it("needs no ath, and returns the key and the nonce", async () => {
    const proof = await sign({ ath: undefined, nonce: "n-1" });
    expect(await verifyProof({ ...request, proofs: [proof] })).toEqual({
      thumbprint: await calculateJwkThumbprint(jwk),
      proofId: expect.stringMatching(/^[\w-]{43}$/),
      issuedAt: example.issuedAt,
      nonce: "n-1",
    });
  });

  it("is checked like any other proof", async () => {
    expect(await outcomeOf(verifyProof({ ...request, proofs: [await sign()], method: "POST" }))).toBe("PROOF_METHOD");
    expect(await outcomeOf(verifyProof({ ...request, proofs: [] }))).toBe("PROOF_MISSING");
  });
});

describe("RFC 9449 section 4.3: htu is compared after syntax-based and scheme-based normalization", () => {
  it.each([
    [
      "RFC 3986 section 6.2.2.1: case of scheme and host",
      "HTTPS://Broker.Example.COM/Run",
      "https://broker.example.com/Run",
    ],
    ["section 6.2.2.1: case of percent-encodings", "https://a.example/%c3%a4", "https://a.example/%C3%A4"],
    ["section 6.2.2.2: needless encodings", "https://a.example/%7euser/%41%2d", "https://a.example/~user/A-"],
    ["section 6.2.2.3: dot segments", "https://a.example/a/./b/../c", "https://a.example/a/c"],
    ["section 6.2.3: the default port", "https://a.example:443/", "https://a.example/"],
    ["section 6.2.3: an empty port", "http://a.example:/", "http://a.example/"],
    ["section 6.2.3: an empty path", "http://a.example:80", "http://a.example/"],
    ["RFC 9449: no query and no fragment", "https://a.example/b?c=d#e", "https://a.example/b"],
    ["characters that no URI has, in a query", "https://a.example/b?c=d|e&f={g}^`%zz", "https://a.example/b"],
    ["characters that WHATWG parsers leave in a path", "https://a.example/a|b^c", "https://a.example/a%7Cb%5Ec"],
    ["an encoded slash is kept", "https://a.example/a%2fb", "https://a.example/a%2Fb"],
    ["an IPv6 address", "http://[::1]:8080/a", "http://[::1]:8080/a"],
  ])("%s: %s", (_, text, normal) => {
    expect(normalizeTargetUri(text)).toBe(normal);
  });

  it.each([
    "",
    "ftp://a.example/",
    "https://user:secret@a.example/",
    "https://a.example\\b",
    "https://a.ex\tample/",
    "https://a.example/ä",
    "https://a.example/ä?b",
    "https://a.ex|ample/",
    "https://ä.example/",
    "https://a.example/%%32%45",
    "https://a.example:99999/",
  ])("%j is not a target URI", (text) => {
    expect(normalizeTargetUri(text)).toBeUndefined();
  });

  const path = fc.array(fc.constantFrom("a", "B", "~", "%41", "%7e", "%2F", "%2f", "%25", ".", "..", "%2e", "/", "/"), {
    maxLength: 12,
  });
  const uri = fc
    .tuple(fc.constantFrom("http", "https", "HTTPS"), fc.domain(), fc.constantFrom("", ":80", ":443", ":8443"), path)
    .map(([scheme, host, port, parts]) => `${scheme}://${host}${port}/${parts.join("")}`);

  it("a normalized URI does not change", () => {
    fc.assert(
      fc.property(uri, (text) => {
        const normal = normalizeTargetUri(text);
        expect(normal).toBeDefined();
        expect(normalizeTargetUri(normal ?? "")).toBe(normal);
      }),
    );
  });

  it("ignores the host's case, query and fragment", () => {
    fc.assert(
      fc.property(uri, fc.webQueryParameters(), fc.webFragments(), (text, query, fragment) => {
        const [scheme = "", host = "", ...rest] = text.split(/(?<=:\/\/)|(?<=:\/\/[^/]*)(?=\/)/);
        const other = `${scheme.toUpperCase()}${host.toUpperCase()}${rest.join("")}?${query}#${fragment}`;
        expect(normalizeTargetUri(other)).toBe(normalizeTargetUri(text));
      }),
    );
  });
});
