import { describe, expect, it } from "vitest";
import { quality } from "./representations.js";

describe("RFC 9110 section 12.4.2: quality values", () => {
  it.each([
    [undefined, 0],
    ["", 0],
    ["gzip", 1],
    ["br, GZIP", 1],
    ["br;q=1.0, gzip;q=0.8, *;q=0.1", 0.8],
    ["gzip;q=0", 0],
    ["gzip; q=0.000", 0],
    ["gzip;q=1.5", 0],
    ["gzip;q=x", 0],
    ["gzip ; Q=0.5", 0.5],
    ["xgzip, gzipx", 0],
    ["*", 0],
  ])("Accept-Encoding %j weights gzip with %d", (header, weight) => {
    expect(quality(header, "gzip")).toBe(weight);
  });
});
