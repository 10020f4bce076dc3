import fc from "fast-check";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { looksSecret, queryHoldsSecret } from "./secret-like.js";

const jwt = await new SignJWT({ sub: "p" }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32));

describe("DECISIONS 5: TOKEN_IN_QUERY, by the name of a parameter", () => {
  it.each(["access_token", "token", "id_token", "refresh_token", "authorization", "device_code"])("%s", (name) => {
    expect(queryHoldsSecret(`${name}=x`)).toBe(true);
    expect(queryHoldsSecret(`a=b&${name.toUpperCase()}=x`)).toBe(true);
    expect(queryHoldsSecret(name)).toBe(true);
    expect(queryHoldsSecret(`%${name.charCodeAt(0).toString(16)}${name.slice(1)}=x`)).toBe(true);
    expect(queryHoldsSecret(`+${name}=x`)).toBe(true);
  });
});

describe("DECISIONS 5: TOKEN_IN_QUERY, by the looks of a value", () => {
  it.each([
    ["a JWT", `x=${jwt}`],
    ["an escaped JWT", `x=${jwt.replaceAll(".", "%2E")}`],
    ["an unsecured JWT", `x=${jwt.slice(0, jwt.lastIndexOf(".") + 1)}`],
    ["a JWE", "x=eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d"],
    ["a device code", "x=pdc_abc"],
    ["an escaped device code", "x=%70dc_abc"],
    ["a JWT alone", jwt],
    ["a device code after others", "a=1&b=2&c=pdc_x"],
    ["a JWT with its scheme", `q=Bearer%20${jwt}`],
    ["a JWT with its scheme and a plus", `q=Bearer+${jwt}`],
    ["a JWT in quotes", `q=%22${jwt}%22`],
    ["a JWT in JSON", `q={%22t%22:%22${jwt}%22}`],
    ["a JWT in a URL", `next=https://app.example/cb?x=${jwt}`],
    ["a JWT after a word", `q=token-${jwt}`],
    ["a JWT after other parts", `q=v1.${jwt}`],
    ["a JWT whose header begins with white space", "q=Bearer%20ewogICJhbGciOiAibm9uZSJ9.e30."],
    ["a device code with its scheme", "q=Bearer%20pdc_abc"],
    ["a device code in the middle of a word", "x=apdc_1"],
    ["a JWT in a name", `Bearer+${jwt}=1`],
  ])("%s", (_, query) => {
    expect(queryHoldsSecret(query)).toBe(true);
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
  ])("ignores %j", (query) => {
    expect(queryHoldsSecret(query)).toBe(false);
  });

  it("takes time in proportion to the length of the query", () => {
    const cpuOf = (length: number) => {
      const queries = ["eyJ", "ey", "eyJabcdefgh.", "a.", ".", "-", "eyJ "].map((part) =>
        part.repeat(length / part.length),
      );
      const { user } = process.cpuUsage();
      for (let round = 0; round < 5; round += 1) for (const query of queries) queryHoldsSecret(`q=${query}`);
      return process.cpuUsage().user - user;
    };
    cpuOf(100_000);
    // Were it quadratic, ten times the length would take a hundred times as long.
    expect(cpuOf(1_000_000)).toBeLessThan(50 * Math.max(cpuOf(100_000), 1_000));
  });

  it("never throws, whatever the query", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (query) => typeof queryHoldsSecret(query) === "boolean"));
  });
});

describe("what looks secret is not kept", () => {
  it("every device code and every JWT", () => {
    expect(looksSecret(jwt)).toBe(true);
    expect(looksSecret("pdc_")).toBe(true);
  });
  it("no UUID, trace id or version", () => {
    for (const text of ["0192f0c1-5a3e-7000-8000-000000000000", "4bf92f3577b34da6", "1.2.3", "ey.a.b"]) {
      expect(looksSecret(text)).toBe(false);
    }
  });
});
