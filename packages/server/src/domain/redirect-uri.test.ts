import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRedirectUri, redirectTarget, redirectUriMatches } from "./redirect-uri.js";

const allowed = [
  "https://agent.example/callback",
  "https://agent.example",
  "https://agent.example?from=platform",
  "https://agent.example:8443/callback?a=b&c=%C3%A4",
  "https://xn--bcher-kva.example/callback",
  "https://192.0.2.1/callback",
  "https://[2001:db8::1]:8443/callback",
  "https://agent.example/a@b",
  "http://127.0.0.1/callback",
  "http://127.0.0.1:49152/callback?a=b",
  "http://[::1]/callback",
  "http://[::1]:49152/",
  "http://localhost",
  "http://localhost:65535/oauth/callback",
  "com.example.app:/callback",
  "com.example.app://callback",
  "com.example.app-2:/callback?a=b",
];

/** What nobody may register, and nothing that is registered matches. */
const forbidden: readonly (readonly [why: string, uri: string])[] = [
  ["empty", ""],
  ["relative", "/callback"],
  ["without scheme", "//agent.example/callback"],
  ["a fragment", "https://agent.example/callback#part"],
  ["an empty fragment", "https://agent.example/callback#"],
  ["a fragment on a loopback address", "http://127.0.0.1/callback#"],
  ["user information", "https://agent.example@evil.example/callback"],
  ["empty user information", "https://@evil.example/callback"],
  ["user information with a port before", "http://127.0.0.1:1234@evil.example/"],
  ["user information of a loopback address", "http://localhost@evil.example/"],
  ["user information of an app", "com.example.app://user@host/callback"],
  ["http to another host", "http://agent.example/callback"],
  ["a host that begins as a loopback address", "http://127.0.0.1.evil.example/"],
  ["a host that begins with localhost", "http://localhost.evil.example/"],
  ["another loopback address", "http://127.0.0.2/"],
  ["a decimal loopback address", "http://2130706433/"],
  ["a short loopback address", "http://127.1/"],
  ["a long IPv6 loopback address", "http://[0:0:0:0:0:0:0:1]/"],
  ["localhost with a dot", "http://localhost./"],
  ["localhost in capitals", "http://LOCALHOST/"],
  ["an empty port", "http://127.0.0.1:/x"],
  ["port 0", "http://127.0.0.1:0/x"],
  ["a port of letters", "http://127.0.0.1:80a/x"],
  ["a port with a sign", "http://127.0.0.1:+80/x"],
  ["a port with a leading zero", "http://127.0.0.1:0080/x"],
  ["a port above 65535", "http://127.0.0.1:65536/x"],
  ["two ports", "http://127.0.0.1:80:80/x"],
  ["a tab in the port", "http://127.0.0.1:8\t0/x"],
  ["https without host", "https:///callback"],
  ["https without slashes", "https:agent.example/callback"],
  ["https with one slash", "https:/agent.example/callback"],
  ["the port 443", "https://agent.example:443/callback"],
  ["a host in capitals", "https://Agent.example/callback"],
  ["a scheme in capitals", "HTTPS://agent.example/callback"],
  ["a host that is encoded", "https://agent%2Eexample/callback"],
  ["a host of another script", "https://bücher.example/callback"],
  ["a host of another script, as dots", "https://agent。example/callback"],
  ["a host with a semicolon", "https://agent.example;script-src/callback"],
  ["a host with a wildcard", "https://*.agent.example/callback"],
  ["a host with an underscore, which no Content-Security-Policy can name", "https://my_agent.example/callback"],
  ["a host with a dot at the end, which no Content-Security-Policy can name", "https://agent.example./callback"],
  ["localhost with a dot, over TLS", "https://localhost.:8443/callback"],
  ["a hexadecimal address", "https://0x7f.0.0.1/callback"],
  ["a long IPv6 address", "https://[2001:db8:0:0:0:0:0:1]/callback"],
  ["a backslash", "https://agent.example\\@evil.example/callback"],
  ["a backslash in an app", "com.example.app:\\callback"],
  ["a space", "https://agent.example/call back"],
  ["a space before", " https://agent.example/callback"],
  ["a line break", "https://agent.example/callback\r\nSet-Cookie: a=b"],
  ["a line break at the end", "https://agent.example/callback\n"],
  ["a null", "https://agent.example/\0"],
  ["an invisible character", "https://agent.example/\u202Ecallback"],
  ["a quote", 'https://agent.example/"callback'],
  ["an escape of one digit", "https://agent.example/%4"],
  ["a script", "javascript:alert(1)"],
  ["data", "data:text/html,callback"],
  ["a file", "file:///etc/passwd"],
  ["a scheme without a dot", "example:/callback"],
  ["a scheme that ends with a dot", "example.:/callback"],
  ["a scheme with nothing before the dot", ".example:/callback"],
  ["an app without slash", "com.example.app:callback"],
  ["an app in capitals", "com.example.App:/callback"],
  ["more than 2048 characters", `https://agent.example/${"x".repeat(2048)}`],
];

describe("a redirect URI that a client may register (RFC 8252 section 7, RFC 9700 section 4.1)", () => {
  it.each(allowed)("may be %s, which matches itself", (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
    expect(redirectUriMatches([uri], uri)).toBe(true);
  });

  it.each(forbidden)("may not have or be %s: %j, which matches nothing, not even itself", (_, uri) => {
    expect(isRedirectUri(uri)).toBe(false);
    expect(redirectUriMatches([uri, ...allowed], uri)).toBe(false);
    expect(() => redirectTarget(uri)).toThrow(RangeError);
  });

  it("may have 2048 characters", () => {
    const uri = "https://agent.example/".padEnd(2048, "x");
    expect(isRedirectUri(uri)).toBe(true);
    expect(isRedirectUri(`${uri}x`)).toBe(false);
  });
});

describe("redirect URIs match exactly, loopback ports excepted (RFC 8252 section 7.3, RFC 9700 section 2.1)", () => {
  it.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback"],
    ["http://127.0.0.1:3000/callback", "http://127.0.0.1:49152/callback"],
    ["http://127.0.0.1:3000/callback", "http://127.0.0.1/callback"],
    ["http://[::1]/callback", "http://[::1]:49152/callback"],
    ["http://localhost/callback?a=b", "http://localhost:1/callback?a=b"],
    ["http://localhost", "http://localhost:65535"],
  ])("%s matches %s", (registered, sent) => {
    expect(redirectUriMatches(["https://agent.example/callback", registered], sent)).toBe(true);
  });

  it.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback/"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/other"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback?a=b"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/x/../callback"],
    ["http://127.0.0.1/callback", "https://127.0.0.1:49152/callback"],
    ["http://127.0.0.1/callback", "http://localhost:49152/callback"],
    ["http://localhost/callback", "http://127.0.0.1:49152/callback"],
    ["http://[::1]/callback", "http://127.0.0.1:49152/callback"],
    ["http://localhost", "http://localhost:49152/"],
    ["https://agent.example/callback", "https://agent.example:8443/callback"],
    ["https://agent.example/callback", "https://agent.example/callback/"],
    ["https://agent.example/callback", "https://agent.example/callback?a=b"],
    ["https://agent.example/callback", "https://agent.example/%63allback"],
    ["https://agent.example/callback", "https://evil.example/callback"],
    ["https://agent.example/callback", "http://agent.example/callback"],
    ["https://agent.example", "https://agent.example/"],
    ["com.example.app:/callback", "com.example.app://callback"],
    ["com.example.app:/callback", "com.example.app2:/callback"],
  ])("%s does not match %s", (registered, sent) => {
    expect(redirectUriMatches([registered], sent)).toBe(false);
  });

  it("nothing matches if nothing is registered", () => {
    expect(redirectUriMatches([], "http://127.0.0.1/callback")).toBe(false);
  });

  it("what matches has the scheme, host, path and query of a registered one, as the URL parser reads them", () => {
    const parts = (uri: string) => {
      const { protocol, hostname, pathname, search, hash, username, password } = new URL(uri);
      return { protocol, hostname, pathname, search, hash, username, password };
    };
    const registered = allowed.map(parts);
    const inserted = fc.constantFrom(
      ":",
      ":80",
      ":8080",
      "@",
      "/",
      "\\",
      ".",
      "#",
      "?",
      "evil.example",
      "\t",
      "%2e",
      "[",
      "]",
      ";",
    );
    const changed = fc
      .tuple(
        fc.constantFrom(...allowed),
        fc.array(fc.tuple(fc.nat(60), fc.nat(3), fc.oneof(inserted, fc.string())), { maxLength: 3 }),
      )
      .map(([uri, edits]) =>
        edits.reduce((text, [at, removed, added]) => text.slice(0, at) + added + text.slice(at + removed), uri),
      );
    const loopback = fc
      .tuple(
        fc.constantFrom("127.0.0.1", "[::1]", "localhost"),
        fc.nat(70_000),
        fc.constantFrom("/callback", "", "/", "?a=b"),
      )
      .map(([host, port, rest]) => `http://${host}:${port}${rest}`);
    let matches = 0;
    fc.assert(
      fc.property(fc.oneof(changed, loopback), (sent) => {
        if (!redirectUriMatches(allowed, sent)) return;
        matches += 1;
        expect(registered).toContainEqual(parts(sent));
      }),
      { numRuns: 5000 },
    );
    expect(matches).toBeGreaterThan(100);
  });
});

describe("where a redirect URI leads", () => {
  it.each([
    ["https://agent.example/callback", { kind: "host", host: "agent.example" }],
    ["https://agent.example:8443/callback", { kind: "host", host: "agent.example:8443" }],
    ["https://xn--bcher-kva.example/", { kind: "host", host: "xn--bcher-kva.example" }],
    ["http://127.0.0.1:49152/callback", { kind: "loopback" }],
    ["http://[::1]/callback", { kind: "loopback" }],
    ["http://localhost/callback", { kind: "loopback" }],
    ["https://localhost:8443/callback", { kind: "loopback" }],
    ["com.example.app:/callback", { kind: "app", scheme: "com.example.app" }],
    ["com.example.app://agent.example/callback", { kind: "app", scheme: "com.example.app" }],
  ])("%s: %j", (uri, target) => {
    expect(redirectTarget(uri)).toEqual(target);
  });
});
