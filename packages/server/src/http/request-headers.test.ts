import { describe, expect, it } from "vitest";
import { announcesBody, readRequestHeaders } from "./request-headers.js";

describe("RFC 9110 section 5: header fields", () => {
  it("are read whatever the case of their names", () => {
    expect(readRequestHeaders(["AUTHORIZATION", "Bearer a", "content-TYPE", "x"])).toMatchObject({
      authorization: "Bearer a",
      contentType: "x",
    });
  });

  it("that are repeated are joined, so that the second one is not lost (section 5.3)", () => {
    const headers = readRequestHeaders([
      "Authorization",
      "Bearer a",
      "Host",
      "x",
      "authorization",
      "Bearer b",
      "Host",
      "y",
    ]);
    expect(headers).toMatchObject({ authorization: "Bearer a, Bearer b", host: "x, y" });
  });

  it("that are empty are returned as empty strings", () => {
    expect(readRequestHeaders(["Connect-Timeout-Ms", ""]).connectTimeoutMs).toBe("");
  });

  it("that the listener does not use are ignored, whatever their names", () => {
    expect(readRequestHeaders(["__proto__", "x", "constructor", "y"])).toEqual(readRequestHeaders([]));
  });
});

describe("RFC 9112 section 6.3: headers that announce a body", () => {
  it.each([
    [[], false],
    [["Content-Length", "0"], false],
    [["Content-Length", "1"], true],
    [["Transfer-Encoding", "chunked"], true],
  ])("%j announces a body: %s", (raw, follows) => {
    expect(announcesBody(readRequestHeaders(raw))).toBe(follows);
  });
});
