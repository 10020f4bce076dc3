import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readProofKey } from "./proof-key.js";

const thumbprintOf = async (jwk: string) => (await readProofKey(jwk))?.thumbprint;

// RFC 8037 appendix A.2.
const ed25519 = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
// RFC 9449 section 4.2 (the key of its examples); its thumbprint is in section 6.1.
const p256 = {
  kty: "EC",
  crv: "P-256",
  x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
  y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
};

describe("thumbprints (RFC 7638)", () => {
  it("are those of the published vectors", async () => {
    expect(await thumbprintOf(JSON.stringify(ed25519))).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    expect(await thumbprintOf(JSON.stringify(p256))).toBe("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
  });

  it("do not depend on order, space or members that are not required (section 3.2)", async () => {
    const { x, y } = p256;
    const text = JSON.stringify(
      { y, use: "sig", kid: "a", key_ops: ["verify"], x, alg: "ES256", crv: "P-256", kty: "EC" },
      null,
      2,
    );
    expect(await thumbprintOf(text)).toBe("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
  });
});

describe("rejects what is not a public proof-of-possession key", () => {
  it.each(["d", "p", "q", "dp", "dq", "qi", "oth", "k"])("the private member %s", async (name) => {
    for (const value of ["AA", "", null]) {
      expect(await thumbprintOf(JSON.stringify({ ...ed25519, [name]: value }))).toBeUndefined();
      expect(await thumbprintOf(JSON.stringify({ ...p256, [name]: value }))).toBeUndefined();
    }
  });

  it.each([
    ["empty text", ""],
    ["not JSON", "{"],
    ["a symmetric key", { kty: "oct" }],
    ["an X25519 key", { ...ed25519, crv: "X25519" }],
    ["a P-384 key", generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ format: "jwk" })],
    ["no y", { ...p256, y: undefined }],
    ["a point that is not on P-256", { ...p256, y: p256.x }],
    ["the origin of P-256", { ...p256, x: "A".repeat(43), y: "A".repeat(43) }],
    // y = 2 has no x (RFC 8032 section 5.1.3).
    ["a point that is not on edwards25519", { ...ed25519, x: `Ag${"A".repeat(41)}` }],
    [
      "y = 1 with the sign bit set",
      { ...ed25519, x: Buffer.from(`01${"00".repeat(30)}80`, "hex").toString("base64url") },
    ],
    ["y = p", { ...ed25519, x: Buffer.from(`ed${"ff".repeat(30)}7f`, "hex").toString("base64url") }],
    ["33 bytes", { ...ed25519, x: Buffer.alloc(33, 1).toString("base64url") }],
    ["padding", { ...ed25519, x: `${ed25519.x}=` }],
    ["base64 instead of base64url", { ...p256, x: p256.x.replace("-", "+") }],
    ["stray bits after the last byte", { ...ed25519, x: ed25519.x.replace(/o$/, "p") }],
    ["a member named twice", JSON.stringify(ed25519).replace("{", `{"x":"${p256.x}",`)],
    ["a member named twice, once with an escape", JSON.stringify(ed25519).replace("{", `{"\\u0078":"${p256.x}",`)],
    ["a private member behind an escape", JSON.stringify(ed25519).replace("{", '{"\\u0064":"AA",')],
  ])("%s", async (_, jwk) => {
    expect(await thumbprintOf(typeof jwk === "string" ? jwk : JSON.stringify(jwk))).toBeUndefined();
  });

  // The eight points whose order divides 8, then their encodings that RFC 8032 section 5.1.3 does not allow.
  it.each([
    ["the neutral point", `01${"00".repeat(31)}`],
    ["the point of order 2", `ec${"ff".repeat(30)}7f`],
    ["a point of order 4", "00".repeat(32)],
    ["the other point of order 4", `${"00".repeat(31)}80`],
    ["a point of order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
    ["the second point of order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
    ["the third point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
    ["the fourth point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"],
    ["the neutral point, with a sign", `01${"00".repeat(30)}80`],
    ["the neutral point as p + 1", `ee${"ff".repeat(30)}7f`],
    ["the neutral point as p + 1, with a sign", `ee${"ff".repeat(31)}`],
    ["the point of order 2, with a sign", `ec${"ff".repeat(31)}`],
    ["a point of order 4 as p", `ed${"ff".repeat(30)}7f`],
    ["the other point of order 4 as p", `ed${"ff".repeat(31)}`],
  ])("%s of edwards25519, for which anyone can forge signatures", async (_, hex) => {
    const x = Buffer.from(hex, "hex").toString("base64url");
    expect(await thumbprintOf(JSON.stringify({ ...ed25519, x }))).toBeUndefined();
  });

  it("a text over 2048 bytes", async () => {
    const room = 2048 - Buffer.byteLength(JSON.stringify({ ...ed25519, kid: "" }));
    expect(await thumbprintOf(JSON.stringify({ ...ed25519, kid: "k".repeat(room) }))).toBeDefined();
    expect(await thumbprintOf(JSON.stringify({ ...ed25519, kid: "k".repeat(room + 1) }))).toBeUndefined();
    expect(await thumbprintOf(JSON.stringify({ ...ed25519, kid: "é".repeat(room - 1) }))).toBeUndefined();
  });

  it("but accepts a string that contains what looks like a member name", async () => {
    const kid = 'x":1, "x\\":"y"';
    expect(await thumbprintOf(JSON.stringify({ ...ed25519, kid }))).toBeDefined();
  });
});
