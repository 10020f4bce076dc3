import { describe, expect, it } from "vitest";
import { parseTarget } from "./target.js";

describe("RFC 9112 section 3.2: request targets", () => {
  it.each([
    ["/a.B/C", "/a.B/C", ""],
    ["/a.B/C?", "/a.B/C", ""],
    ["/a.B/C?x=1&y=2", "/a.B/C", "x=1&y=2"],
    ["/a?b?c", "/a", "b?c"],
    ["http://host/a.B/C", "/a.B/C", ""],
    ["HTTPS://host:8080/a.B/C?x", "/a.B/C", "x"],
    ["http://user@host/a", "/a", ""],
    ["http://host", "", ""],
    ["http://host?x=1", "", "x=1"],
    ["//host/a", "//host/a", ""],
    ["/http://host/a", "/http://host/a", ""],
    ["*", "*", ""],
    ["host:443", "host:443", ""],
    ["", "", ""],
  ])("%j has the path %j and the query %j", (target, path, query) => {
    expect(parseTarget(target)).toMatchObject({ path, query });
  });

  it.each([
    ["/a", undefined],
    ["http://host:8080/a", "host:8080"],
    ["http://[::1]?x", "[::1]"],
    ["http://user@host/a", "user@host"],
    ["host:443", undefined],
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
