import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createProofKey, restoreProofKey } from "./proof-key.js";

const request = {
  htm: "POST",
  htu: "https://broker.example.com/run?token=1#part",
  accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
};

/** Decodes a proof and verifies it with node:crypto and the key in its own header. */
function read(proof: string) {
  const [header = "", claims = "", signature = ""] = proof.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const { jwk, alg } = parse(header);
  const key = { key: createPublicKey({ format: "jwk", key: jwk }), dsaEncoding: "ieee-p1363" as const };
  const digest = alg === "ES256" ? "sha256" : null;
  const input = Buffer.from(`${header}.${claims}`);
  const signed = verify(digest, input, key, Buffer.from(signature, "base64url"));
  return { header: parse(header), claims: parse(claims), signed };
}

describe.each(["ES256", "Ed25519"] as const)("a proof key for %s", (alg) => {
  it("creates signed proofs with every member of RFC 9449 section 4.2 and only the public key", async () => {
    const key = await createProofKey({ alg });
    const before = Math.floor(Date.now() / 1000);
    const { header, claims, signed } = read(await key.createProof(request));
    expect(signed).toBe(true);
    expect(header).toEqual({ typ: "dpop+jwt", alg, jwk: key.publicJwk });
    expect(header.jwk).not.toHaveProperty("d");
    expect(claims).toEqual({
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      htm: "POST",
      htu: "https://broker.example.com/run",
      iat: expect.any(Number),
      // The example of RFC 9449 section 7.1.
      ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
    });
    expect(Number.isInteger(claims.iat)).toBe(true);
    expect(claims.iat).toBeGreaterThanOrEqual(before);
    expect(claims.iat).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it("creates a different proof each time (section 11.1)", async () => {
    const key = await createProofKey({ alg });
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => read(await key.createProof(request)).claims.jti),
    );
    expect(new Set(ids).size).toBe(50);
  });

  it("repeats the receiver's nonce (section 9)", async () => {
    const key = await createProofKey({ alg });
    expect(read(await key.createProof({ ...request, nonce: "n-1" })).claims.nonce).toBe("n-1");
  });

  it("does not export its private key", async () => {
    const { keyPair } = await createProofKey({ alg });
    for (const format of ["jwk", "pkcs8"] as const)
      await expect(crypto.subtle.exportKey(format, keyPair.privateKey)).rejects.toThrow();
  });

  it("can be restored from a structured clone of its pair, as IndexedDB stores it", async () => {
    const made = await createProofKey({ alg });
    const key = await restoreProofKey(structuredClone(made.keyPair));
    expect(key).toMatchObject({ alg, publicJwk: made.publicJwk, thumbprint: made.thumbprint });
    const { signed, header } = read(await key.createProof(request));
    expect({ signed, jwk: header.jwk }).toEqual({ signed: true, jwk: made.publicJwk });
  });
});

describe("a proof key", () => {
  it("uses ES256 by default", async () => {
    expect((await createProofKey()).alg).toBe("ES256");
  });

  it.each([
    ["an extractable private key", { name: "ECDSA", namedCurve: "P-256" }, true],
    ["another curve", { name: "ECDSA", namedCurve: "P-384" }, false],
  ])("is not restored from %s", async (_, algorithm, extractable) => {
    const pair = await crypto.subtle.generateKey(algorithm, extractable, ["sign", "verify"]);
    await expect(restoreProofKey(pair)).rejects.toThrow(TypeError);
  });

  it.each(["/run", "wss://broker.example.com/run", "https://", "secret"])("rejects the URL %j", async (htu) => {
    const key = await createProofKey();
    await expect(key.createProof({ ...request, htu })).rejects.toThrow("htu must be an absolute http or https URL");
  });

  it.each([
    ["https://user:secret@Broker.Example.com:443/a", "https://broker.example.com/a"],
    ["http://broker.example.com:8080", "http://broker.example.com:8080/"],
  ])("normalizes the URL %j to %j", async (htu, normalized) => {
    const key = await createProofKey();
    expect(read(await key.createProof({ ...request, htu })).claims.htu).toBe(normalized);
  });
});
