import { describe, expect, it } from "vitest";
import { parseTarget } from "./target.js";

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
