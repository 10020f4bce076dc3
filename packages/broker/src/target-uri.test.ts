import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeTargetUri } from "./target-uri.js";

describe("RFC 9449 section 4.3: htu is compared after syntax-based and scheme-based normalization", () => {
  it.each([
    [
      "RFC 3986 section 6.2.2.1: case of scheme and host",
      "HTTPS://Broker.Example.COM/Run",
      "https://broker.example.com/Run",
    ],
    ["section 6.2.2.1: case of percent-encodings", "https://a.example/%c3%a4", "https://a.example/%C3%A4"],
    ["section 6.2.2.2: needless encodings", "https://a.example/%7euser/%41%2d", "https://a.example/~user/A-"],
    ["section 6.2.2.3: dot segments", "https://a.example/a/./b/../c", "https://a.example/a/c"],
    ["section 6.2.3: the default port", "https://a.example:443/", "https://a.example/"],
    ["section 6.2.3: an empty port", "http://a.example:/", "http://a.example/"],
    ["section 6.2.3: an empty path", "http://a.example:80", "http://a.example/"],
    ["RFC 9449: no query and no fragment", "https://a.example/b?c=d#e", "https://a.example/b"],
    ["no query without a path", "https://a.example?c", "https://a.example/"],
    ["another port is kept", "https://a.example:80/", "https://a.example:80/"],
    ["an encoded slash is kept", "https://a.example/a%2fb", "https://a.example/a%2Fb"],
    ["an IPv6 address", "http://[::1]:8080/a", "http://[::1]:8080/a"],
  ])("%s: %s", (_, text, normal) => {
    expect(normalizeTargetUri(text)).toBe(normal);
  });

  it.each([
    "",
    "/run",
    "broker.example.com/run",
    "ftp://a.example/",
    "https:a.example",
    "https://",
    "https://user@a.example/",
    "https://user:secret@a.example/",
    "https://a.example\\b",
    "https://a.ex\tample/",
    " https://a.example/",
    "https://a.example/ä",
    "https://ä.example/",
    "https://a.example/%",
    "https://a.example/%%32%45",
    "https://a.example:99999/",
    "https://a.example/\n",
  ])("%j is not a target URI", (text) => {
    expect(normalizeTargetUri(text)).toBeUndefined();
  });

  const path = fc.array(fc.constantFrom("a", "B", "~", "%41", "%7e", "%2F", "%2f", "%25", ".", "..", "%2e", "/", "/"), {
    maxLength: 12,
  });
  const uri = fc
    .tuple(fc.constantFrom("http", "https", "HTTPS"), fc.domain(), fc.constantFrom("", ":80", ":443", ":8443"), path)
    .map(([scheme, host, port, parts]) => `${scheme}://${host}${port}/${parts.join("")}`);

  it("a normalized URI does not change", () => {
    fc.assert(
      fc.property(uri, (text) => {
        const normal = normalizeTargetUri(text);
        expect(normal).toBeDefined();
        expect(normalizeTargetUri(normal ?? "")).toBe(normal);
      }),
    );
  });

  it("ignores the host's case, query and fragment", () => {
    fc.assert(
      fc.property(uri, fc.webQueryParameters(), fc.webFragments(), (text, query, fragment) => {
        const [scheme = "", host = "", ...rest] = text.split(/(?<=:\/\/)|(?<=:\/\/[^/]*)(?=\/)/);
        const other = `${scheme.toUpperCase()}${host.toUpperCase()}${rest.join("")}?${query}#${fragment}`;
        expect(normalizeTargetUri(other)).toBe(normalizeTargetUri(text));
      }),
    );
  });

  it("distinguishes paths", () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9_~-]{1,12}$/);
    fc.assert(
      fc.property(segment, segment, (a, b) => {
        const [one, other] = [a, b].map((text) => normalizeTargetUri(`https://a.example/${text}`));
        expect(one === other).toBe(a === b);
      }),
    );
  });

  it("never throws for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (text) => {
        expect(["string", "undefined"]).toContain(typeof normalizeTargetUri(text));
      }),
    );
  });
});
