import { describe, expect, it } from "vitest";
import { announcesBody, joinHeaders, readRequestHeaders } from "./request-headers.js";

const read = (raw: string[]) => readRequestHeaders(joinHeaders(raw));

describe("RFC 9110 section 5: header fields", () => {
  it("are read whatever the case of their names", () => {
    expect(read(["AUTHORIZATION", "Bearer a", "content-TYPE", "x"])).toMatchObject({
      authorization: "Bearer a",
      contentType: "x",
    });
  });

  it("that are repeated are joined, so that the second one is not lost (section 5.3)", () => {
    const headers = read(["Authorization", "Bearer a", "Host", "x", "authorization", "Bearer b", "Host", "y"]);
    expect(headers).toMatchObject({ authorization: "Bearer a, Bearer b", host: "x, y" });
  });

  it("that are empty are returned as empty strings", () => {
    expect(read(["Connect-Timeout-Ms", ""]).connectTimeoutMs).toBe("");
  });

  it("that the listener does not use are ignored, whatever their names", () => {
    expect(read(["__proto__", "x", "constructor", "y"])).toEqual(read([]));
  });
});

describe("RFC 9112 section 6.3: headers that announce a body", () => {
  it.each([
    [[], false],
    [["Content-Length", "0"], false],
    [["Content-Length", "1"], true],
    [["Transfer-Encoding", "chunked"], true],
  ])("%j announces a body: %s", (raw, follows) => {
    expect(announcesBody(read(raw))).toBe(follows);
  });
});
