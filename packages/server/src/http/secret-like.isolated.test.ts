import fc from "fast-check";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { createSecrets } from "../tokens/secrets.js";
import { queryContainsSecret, redactLine, requestIdFrom } from "./request-head.js";

const jwt = await new SignJWT({ sub: "p" }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32));
const secrets = createSecrets({ hmacKey: new Uint8Array(32), clock: { now: Date.now } });
const refreshToken = secrets.refreshToken({ familyId: secrets.newId(), generation: 1 });
const { code } = secrets.newAuthorizationCode(secrets.newId());
const requestUri = "urn:ietf:params:oauth:request_uri:x";
const verifier = `pcv_${"v".repeat(43)}`;

describe("DECISIONS 5: TOKEN_IN_QUERY by the name of a parameter", () => {
  it.each([
    "access_token",
    "token",
    "id_token",
    "refresh_token",
    "authorization",
    "device_code",
    "code_verifier",
    "request_uri",
  ])("finds %s", (name) => {
    expect(queryContainsSecret(`${name}=x`)).toBe(true);
    expect(queryContainsSecret(`a=b&${name.toUpperCase()}=x`)).toBe(true);
    expect(queryContainsSecret(name)).toBe(true);
    expect(queryContainsSecret(`%${name.charCodeAt(0).toString(16)}${name.slice(1)}=x`)).toBe(true);
    expect(queryContainsSecret(`+${name}=x`)).toBe(true);
  });
});

describe("DECISIONS 5: TOKEN_IN_QUERY by a value that looks like a token or code", () => {
  it.each([
    ["a JWT", `x=${jwt}`],
    ["an escaped JWT", `x=${jwt.replaceAll(".", "%2E")}`],
    ["an unsecured JWT", `x=${jwt.slice(0, jwt.lastIndexOf(".") + 1)}`],
    ["a JWE", "x=eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d"],
    ["a device code", "x=pdc_abc"],
    ["a JWT with its scheme", `q=Bearer%20${jwt}`],
    ["a JWT in quotes", `q=%22${jwt}%22`],
    ["a JWT in a URL", `next=https://app.example/cb?x=${jwt}`],
    ["a JWT whose header begins with white space", "q=Bearer%20ewogICJhbGciOiAibm9uZSJ9.e30."],
    ["a refresh token", `x=${refreshToken}`],
    ["an escaped refresh token", `q=Bearer%20${refreshToken.replaceAll(".", "%2E")}`],
    ["a device code in the middle of a word", "x=apdc_1"],
    ["an authorization code", `code=${code}`],
    ["a request_uri", `x=${requestUri}`],
    ["an escaped request_uri", `x=${encodeURIComponent(requestUri)}`],
    ["a PKCE verifier", `x=${verifier}`],
    ["a JWT in a name", `Bearer+${jwt}=1`],
  ])("finds %s", (_, query) => {
    expect(queryContainsSecret(query)).toBe(true);
  });

  it.each([
    "",
    "x=1",
    "trace=abc.def.ghi",
    "tokens=1",
    "host=eu.example.com",
    "v=1.2.3",
    "mytoken=1",
    "host=keyboardshop.example.com",
    "host=newobjects.example.com",
    "q=eyJabcdefgh",
    "q=eyJabcdefgh.abc",
    "file=prt_2026.1.txt",
    "code=200",
    "code=pac_man.html",
    "lib=pcv_core",
    `id=${"v".repeat(43)}`,
    "urn=urn:ietf:params:oauth:grant-type:device_code",
  ])("ignores %j", (query) => {
    expect(queryContainsSecret(query)).toBe(false);
  });

  it("checks a query in linear time: in quadratic time, these would take longer than a test may", () => {
    for (const part of ["eyJ", "ey", "eyJabcdefgh.", "a.", ".", "-", "eyJ ", ".prt_", ".prt_a.1.", ".pac_", "pcv_"]) {
      expect(queryContainsSecret(`q=${part.repeat(500_000 / part.length)}`)).toBeTypeOf("boolean");
    }
  });

  it("never throws for any query", () => {
    const anyText = fc.array(fc.nat(0xff_ff)).map((units) => String.fromCharCode(...units));
    fc.assert(fc.property(anyText, (query) => typeof queryContainsSecret(query) === "boolean"));
  });
});

it.each([
  ["an authorization code", code],
  ["a request_uri", requestUri],
  ["a PKCE verifier", verifier],
  ["a refresh token", refreshToken],
])("%s is no request id, and replaced in a line of a log", (_, secret) => {
  expect(requestIdFrom(secret)).not.toBe(secret);
  const line = (text: string) => `${JSON.stringify({ level: 30, deep: [{ text }] })}\n`;
  expect(redactLine(line(`before ${secret}`))).toBe(line("[redacted]"));
  expect(redactLine(line("v".repeat(43)))).toBe(line("v".repeat(43)));
});
