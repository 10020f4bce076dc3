import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeAt, codeOf, type OneTimeSecret, parseOneTimeSecret, secondsLeft } from "./one-time-code.js";

const ascii = (text: string) => new TextEncoder().encode(text);
const seed = "1234567890".repeat(7);
const secret: OneTimeSecret = { key: ascii(seed.slice(0, 20)), hash: "SHA-1", digits: 6, period: 30 };
const inBase32 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

it("codes of counters are those of RFC 4226, appendix D", async () => {
  const codes = await Promise.all(Array.from({ length: 10 }, (_, counter) => codeOf(secret, counter)));
  expect(codes).toEqual([
    "755224",
    "287082",
    "359152",
    "969429",
    "338314",
    "254676",
    "287922",
    "162583",
    "399871",
    "520489",
  ]);
});

// Their keys are as long as the hash: see errata 2866.
const keys = { "SHA-1": 20, "SHA-256": 32, "SHA-512": 64 } as const;

it.each<readonly [time: number, sha1: string, sha256: string, sha512: string]>([
  [59, "94287082", "46119246", "90693936"],
  [1111111109, "07081804", "68084774", "25091201"],
  [1111111111, "14050471", "67062674", "99943326"],
  [1234567890, "89005924", "91819424", "93441116"],
  [2000000000, "69279037", "90698825", "38618901"],
  [20000000000, "65353130", "77737706", "47863826"],
])("codes of moments are those of RFC 6238, appendix B: %d s", async (time, ...expected) => {
  const secrets = (["SHA-1", "SHA-256", "SHA-512"] as const).map((hash) => {
    return { key: ascii(seed.slice(0, keys[hash])), hash, digits: 8, period: 30 };
  });
  expect(await Promise.all(secrets.map((each) => codeAt(each, time * 1000)))).toEqual(expected);
});

// Computed by another program: tests/TestTotp.cpp of KeePassXC.
it.each([
  [1511200518, "FR8RV"],
  [1511200714, "9P3VP"],
])("codes of Steam have 5 characters: %d s, %s", async (time, code) => {
  const steam = parseOneTimeSecret("steam://63BEDWCQZKTQWPESARIERL5DTTQFCJTK");
  expect(steam && (await codeAt(steam, time * 1000))).toBe(code);
});

it.each([
  [0, 30],
  [999, 30],
  [1000, 29],
  [29_999, 1],
  [30_000, 30],
])("the seconds that are left count down from the period to 1: after %d ms, %d", (time, left) => {
  expect(secondsLeft(secret, time)).toBe(left);
});

describe("a secret", () => {
  it.each([
    inBase32,
    inBase32.toLowerCase(),
    `  ${inBase32.replaceAll(/(.{4})/g, "$1 ")}\n`,
    inBase32.replaceAll(/(.{4})(?=.)/g, "$1-"),
    `${inBase32}======`,
    `otpauth://totp/Example:ada@example.com?secret=${inBase32}&issuer=Example`,
    `OTPAUTH://TOTP/Example%3Aada?secret=${inBase32.toLowerCase()}&algorithm=sha1&digits=6&period=30#part`,
    `otpauth://totp?secret=${inBase32}`,
    `otpauth://totp/My Company:ada lovelace?secret=${inBase32}`,
  ])("is parsed as pages and QR codes contain it: %s", (text) => expect(parseOneTimeSecret(text)).toEqual(secret));

  it("has the hash, the digits and the period of its URI", () => {
    const uri = `otpauth://totp/a?secret=${inBase32}&algorithm=SHA512&digits=8&period=60`;
    expect(parseOneTimeSecret(uri)).toEqual({ ...secret, hash: "SHA-512", digits: 8, period: 60 });
  });

  it.each([
    `steam://${inBase32}`,
    `otpauth://totp/Steam:ada?secret=${inBase32}&issuer=Steam&encoder=steam`,
    `otpauth://totp/Steam:ada?secret=${inBase32}&digits=5&encoder=Steam`,
    `otpauth://totp/ada?secret=${inBase32}&issuer=steam`,
    `otpauth://totp/Steam%3Aada?secret=${inBase32}&digits=5`,
  ])("is that of Steam if a program marks it: %s", (text) =>
    expect(parseOneTimeSecret(text)).toEqual({ ...secret, digits: 5, isSteam: true }),
  );

  it.each([
    "",
    "not base32!",
    "steam://",
    "steam://not base32!",
    `otpauth://totp/Steamship:ada?secret=${inBase32}&digits=5`,
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGA",
    "otpauth://totp/a",
    `otpauth://hotp/a?secret=${inBase32}&counter=1`,
    `otpauth://totp/a?secret=${inBase32}&algorithm=MD5`,
    `otpauth://totp/a?secret=${inBase32}&algorithm=constructor`,
    `otpauth://totp/a?secret=${inBase32}&digits=5`,
    `otpauth://totp/a?secret=${inBase32}&digits=10`,
    `otpauth://totp/a?secret=${inBase32}&period=0`,
    `https://example.com/?secret=${inBase32}`,
  ])("is undefined for other text: %s", (text) => expect(parseOneTimeSecret(text)).toBeUndefined());

  it("never throws, and gives a code if it is parsed", async () => {
    const parameter = fc.constantFrom("algorithm", "digits", "period", "secret", "encoder", "__proto__");
    const uri = fc
      .array(fc.tuple(parameter, fc.string()))
      .map((query) => `otpauth://totp/a?${new URLSearchParams(query)}`);
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Z2-7]{0,40}$/), uri);
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 0, max: 4e12 }), async (text, time) => {
        const parsed = parseOneTimeSecret(text);
        if (parsed) expect(await codeAt(parsed, time)).toMatch(/^(?:\d{6,8}|[2-9B-Y]{5})$/);
      }),
    );
  });
});
