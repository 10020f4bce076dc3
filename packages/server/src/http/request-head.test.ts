import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { announcesBody, joinHeaders, parseTarget, readRequestHeaders, requestIdFrom } from "./request-head.js";

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

const jwt = await new SignJWT({ s: "p" }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32));
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("DECISIONS 6: a valid request id of the caller is kept", () => {
  it.each(["a", "0192f0c1-5a3e-7000", "trace:1.2_3", "A".repeat(128)])("keeps %j", (incoming) => {
    expect(requestIdFrom(incoming)).toBe(incoming);
  });
});

describe("any other request id is replaced", () => {
  it.each([undefined, "", "-a", "a b", "a\nb", "a\u0000", "ä", "A".repeat(129), '<script>"', "pdc_secret", jwt])(
    "replaces %j",
    (incoming) => {
      expect(requestIdFrom(incoming)).toMatch(uuid);
    },
  );

  it("uses a different UUID each time", () => {
    expect(requestIdFrom(undefined)).not.toBe(requestIdFrom(undefined));
  });
});

describe("RFC 9112 section 3.2: request targets", () => {
  it.each([
    ["/a.B/C", "/a.B/C", ""],
    ["/a.B/C?", "/a.B/C", ""],
    ["http://host/a.B/C", "/a.B/C", ""],
    ["http://host", "", ""],
    ["//host/a", "//host/a", ""],
    ["*", "*", ""],
    ["", "", ""],
  ])("%j has the path %j and the query %j", (target, path, query) => {
    expect(parseTarget(target)).toMatchObject({ path, query });
  });

  it.each([
    ["/a", undefined],
    ["http://host:8080/a", "host:8080"],
    ["http://user@host/a", "user@host"],
  ])("%j names the host %j", (target, authority) => {
    expect(parseTarget(target).authority).toBe(authority);
  });

  it.each(["/a%2EB/C", "/a.B/./C", "/a.B/../a.B/C", "/a.B//C", "/a.B/C/", "/A.b/c"])(
    "does not normalize %j: each operation has one path",
    (target) => {
      expect(parseTarget(target).path).toBe(target);
    },
  );
});
