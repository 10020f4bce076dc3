import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { requestIdFrom } from "./request-headers.js";

const jwt = await new SignJWT({ s: "p" }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32));
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("DECISIONS 6: a valid request id of the caller is kept", () => {
  it.each(["a", "0192f0c1-5a3e-7000", "trace:1.2_3", "A".repeat(128)])("keeps %j", (incoming) => {
    expect(requestIdFrom(incoming)).toBe(incoming);
  });
});

describe("any other request id is replaced", () => {
  it.each([
    undefined,
    "",
    "-a",
    ".a",
    "a b",
    "a, b",
    "a\nb",
    "a\u0000",
    "ä",
    "A".repeat(129),
    '<script>"',
    "pdc_secret",
    jwt,
  ])("replaces %j", (incoming) => {
    expect(requestIdFrom(incoming)).toMatch(uuid);
  });

  it("uses a different UUID each time", () => {
    expect(requestIdFrom(undefined)).not.toBe(requestIdFrom(undefined));
  });
});
