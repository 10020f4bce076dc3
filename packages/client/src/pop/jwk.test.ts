import { describe, expect, it } from "vitest";
import { thumbprint } from "./jwk.js";

const rsa = {
  kty: "RSA",
  n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
  e: "AQAB",
  alg: "RS256",
  kid: "2011-04-29",
};
const ed25519 = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const p256 = {
  kty: "EC",
  crv: "P-256",
  x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
  y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
};

describe("the thumbprint of a key (RFC 7638)", () => {
  it.each([
    ["RFC 7638 section 3.1", rsa, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"],
    ["RFC 8037 appendix A.3", ed25519, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"],
    ["RFC 9449 section 6.1", p256, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"],
  ])("matches the example of %s", async (_, jwk, expected) => {
    expect(await thumbprint(jwk)).toBe(expected);
  });

  it("ignores the order of members and members that are not required (sections 3.2, 3.2.1)", async () => {
    const { x, y, crv, kty } = p256;
    const more = { use: "sig", y, d: "private", x, kty, crv };
    expect(await thumbprint(more)).toBe(await thumbprint(p256));
  });

  it.each([
    ["a symmetric key", { kty: "oct", k: "AAAA" }],
    ["no type", { crv: "P-256", x: "x", y: "y" }],
    ["a missing member", { kty: "EC", crv: "P-256", x: "x" }],
    ["a type named like an inherited property", { kty: "constructor" }],
  ])("rejects %s", async (_, jwk) => {
    await expect(thumbprint(jwk)).rejects.toThrow(TypeError);
  });
});
