import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { userCodeAlphabet } from "../domain/model/device-authorization.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets, createUuidV7 } from "./secrets.js";

const secretsWith = (fill: number) => createSecrets({ hmacKey: Buffer.alloc(32, fill), clock: fakeClock() });
const secrets = secretsWith(1);

describe("codes (DECISIONS 4)", () => {
  it("generates device codes as pdc_ and 32 random bytes in base64url", () => {
    const codes = Array.from({ length: 100 }, () => secrets.newDeviceCode());
    for (const code of codes) expect(code).toMatch(/^pdc_[\w-]{43}$/);
    expect(new Set(codes).size).toBe(100);
  });

  it("generates user codes of 8 letters, each equally likely", () => {
    const draws = 4000;
    const counts = new Map<string, number>();
    for (let n = 0; n < draws; n += 1) {
      const code = secrets.newUserCode();
      expect(code).toHaveLength(8);
      for (const letter of code) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect([...counts.keys()].sort().join("")).toBe(userCodeAlphabet);
    const expected = (draws * 8) / userCodeAlphabet.length;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 19 degrees of freedom: an unbiased source exceeds 70 less than once in ten million runs.
    expect(chiSquare).toBeLessThan(70);
  });

  it("hashes device codes with plain SHA-256 (FIPS 180 vector)", () => {
    expect(secrets.hashDeviceCode("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  });

  it("generates authorization codes that name their grant, and reads only such codes", () => {
    const { code, codeHash, grantId } = secrets.newAuthorizationCode("grant-1");
    expect(code).toMatch(/^pac_grant-1\.[\w-]{43}$/);
    expect(secrets.readAuthorizationCode(code)).toEqual({ codeHash, grantId });
    expect(secrets.newAuthorizationCode("grant-1").code).not.toBe(code);
    for (const other of ["", "pac_grant-1.", `${code}x`, code.replace("pac_", "pdc_"), code.replace("-1", "/1")]) {
      expect(secrets.readAuthorizationCode(other)).toBeUndefined();
    }
  });

  it("computes code challenges (RFC 7636 appendix B)", () => {
    const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    expect(secrets.codeChallenge(verifier)).toBe("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  });

  // Computed with another implementation of RFC 2104 and RFC 5869.
  it("never changes its hashes, so that later versions find stored codes", () => {
    expect(secrets.hashUserCode("BCDFGHJK")).toBe("cs-HUnRRfACROpBXuLiaWzBuw8vaLkncdDt5nkuwu_4");
    expect(secrets.hashIdempotencyKey("0123456789abcdef")).toBe("2JaAUgGA0hY_ibSb0yvyaUvfmlKQSLiSUubK8WIWhvQ");
  });

  it("returns different hashes for different purposes and different keys", () => {
    const value = "BCDFGHJKLMNPQRST";
    const other = secretsWith(2);
    const hashes = [
      secrets.hashUserCode(value),
      secrets.hashIdempotencyKey(value),
      secrets.hashDeviceCode(value),
      other.hashUserCode(value),
      other.hashIdempotencyKey(value),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it.each([0, 16, 31, 33])("rejects an HMAC key of %i bytes", (length) => {
    expect(() => createSecrets({ hmacKey: new Uint8Array(length), clock: fakeClock() })).toThrow(RangeError);
  });
});

describe("refresh tokens", () => {
  const family = { familyId: "0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a11", generation: 12 };
  const token = secrets.refreshToken(family);

  it("are derived, so that a retry gets the same one and none is stored", () => {
    expect(token).toMatch(/^prt_0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a11\.12\.[\w-]{43}$/);
    expect(secrets.refreshToken(family)).toBe(token);
    expect(secrets.refreshToken({ ...family, generation: 13 }).slice(-43)).not.toBe(token.slice(-43));
    expect(secrets.readRefreshToken(token)).toEqual(family);
  });

  it.each([
    ["an empty text", ""],
    ["another generation", token.replace(".12.", ".13.")],
    ["a leading zero", token.replace(".12.", ".012.")],
    ["another family", token.replace("prt_0192", "prt_0193")],
    ["another last character", `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`],
    ["more characters", `${token}A`],
    ["a token of another server", secretsWith(2).refreshToken(family)],
  ])("%s is not one", (_, text) => {
    expect(secrets.readRefreshToken(text)).toBeUndefined();
  });
});

const timestampOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe("UUIDv7 (RFC 9562 section 5.7)", () => {
  it("has version 7, the variant 10 and the clock's milliseconds in its first 48 bits", () => {
    // The time of the example in RFC 9562 appendix A.6.
    const newId = createUuidV7({ clock: fakeClock(0x017f22e279b0) });
    for (let n = 0; n < 100; n += 1)
      expect(newId()).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("increases with every id, whatever the clock does (section 6.2)", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 300 }), (steps) => {
        const clock = fakeClock();
        const newId = createUuidV7({ clock });
        const ids = steps.map((step) => {
          clock.advance(step);
          return newId();
        });
        expect(ids).toEqual([...new Set(ids)].sort());
      }),
    );
  });

  it("runs ahead of a stopped clock by a millisecond for each exhausted counter", () => {
    const clock = fakeClock();
    const newId = createUuidV7({ clock });
    const ids = Array.from({ length: 10_000 }, newId);
    expect(ids).toEqual([...new Set(ids)].sort());
    // A counter has room for 2048 to 4096 ids.
    const ahead = timestampOf(ids.at(-1) ?? "") - clock.now();
    expect(ahead).toBeGreaterThanOrEqual(2);
    expect(ahead).toBeLessThanOrEqual(4);
  });

  it("has 62 random bits in each id", () => {
    const newId = createUuidV7({ clock: fakeClock() });
    const tails = Array.from({ length: 2000 }, () => BigInt(`0x${newId().slice(19).replace("-", "")}`));
    for (let bit = 0n; bit < 62n; bit += 1n) {
      const ones = tails.filter((tail) => ((tail >> bit) & 1n) === 1n).length;
      // Eight standard deviations from the mean, 1000.
      expect(Math.abs(ones - 1000)).toBeLessThan(180);
    }
  });
});
