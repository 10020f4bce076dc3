import { describe, expect, it } from "vitest";
import { SecretToken } from "../options/token.js";
import { signProof } from "./proof.js";
import { createProofKey } from "./proof-key.js";

/** RFC 8037 appendix A.1. */
const jwk = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;

it("an Ed25519 proof has the same bytes for the same request, jti, iat and key", async () => {
  const privateKey = await crypto.subtle.importKey("jwk", jwk, { name: "Ed25519" }, false, ["sign"]);
  const { kty, crv, x } = jwk;
  const request = { htm: "POST", htu: "https://broker.example.com/run", accessToken: "token-of-the-example" };
  const moment = { jti: "0192f0c1-7d5e-4a54-9d0e-4b2f6f5f1a11", iat: 1_767_225_600 };
  expect(await signProof({ alg: "Ed25519", publicJwk: { kty, crv, x }, privateKey }, request, moment)).toBe(
    [
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVkMjU1MTkiLCJqd2siOnsia3R5IjoiT0tQIiwiY3J2IjoiRWQyNTUxOSIsIngiOiIxMXFZQVlLeENyZlZTXzdUeVdRSE9nN2hjdlBhcGlNbHJ3SWFhUGNIVVJvIn19",
      "eyJqdGkiOiIwMTkyZjBjMS03ZDVlLTRhNTQtOWQwZS00YjJmNmY1ZjFhMTEiLCJodG0iOiJQT1NUIiwiaHR1IjoiaHR0cHM6Ly9icm9rZXIuZXhhbXBsZS5jb20vcnVuIiwiaWF0IjoxNzY3MjI1NjAwLCJhdGgiOiJFSXZEV005UVlpeWIwT1NMMzUyeUV2djc0NDIzWmRoVnRfSWhPb1ZuX2h3In0",
      "jFmGkEq8oYey6O7X6DMdY1a4WVcjCpXvY6Ulh2CxSyX9i1NDYhG4mLnnumPQhZG2027mkAt4HkpcC0s3WUT4Ag",
    ].join("."),
  );
});

describe("a proof that no receiver would accept is not created", () => {
  const valid = { htm: "POST", htu: "https://broker.example.com/run", accessToken: "token-of-the-example" };
  it.each([
    ["a method that fetch would send in capitals", { htm: "post" }, /htm must be the HTTP method in capitals/],
    ["a relative URL", { htu: "/run" }, /htu must be an absolute/],
    ["no token", { accessToken: undefined }, /accessToken must be the token as a string/],
    ["a token that is still hidden", { accessToken: new SecretToken("token-of-the-example") }, /reveal\(\)/],
    ["a token with its scheme", { accessToken: "DPoP token-of-the-example" }, /without "DPoP "/],
  ])("%s", async (_, change, message) => {
    const key = await createProofKey();
    const request: object = { ...valid, ...change };
    const creating: Promise<unknown> = Reflect.apply(key.createProof, undefined, [request]);
    await expect(creating).rejects.toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringMatching(message) }),
    );
  });
});
