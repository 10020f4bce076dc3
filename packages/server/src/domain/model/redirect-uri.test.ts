import { describe, expect, it } from "vitest";
import { findRedirection, isRedirectUri, isSameRedirectUri, redirectTarget } from "./redirect-uri.js";

const allowed = [
  "https://agent.example/callback",
  "https://agent.example",
  "https://agent.example:8443/callback?a=b&c=%C3%A4",
  "https://xn--bcher-kva.example/callback",
  "https://192.0.2.1/callback",
  "https://[2001:db8::1]:8443/callback",
  "http://127.0.0.1/callback",
  "http://[::1]/callback",
  "http://localhost",
  "http://localhost:65535/oauth/callback",
  "com.example.app:/callback",
  "com.example.app://callback",
  "HTTPS://Agent.Example:443",
];

/** What nobody may register, and nothing that is registered matches. */
const forbidden: readonly (readonly [why: string, uri: string])[] = [
  ["empty", ""],
  ["without scheme", "//agent.example/callback"],
  ["a fragment", "https://agent.example/callback#part"],
  ["an empty fragment", "https://agent.example/callback#"],
  ["user information", "https://agent.example@evil.example/callback"],
  ["empty user information", "https://@evil.example/callback"],
  ["user information with a port before", "http://127.0.0.1:1234@evil.example/"],
  ["user information of an app", "com.example.app://user@host/callback"],
  ["http to another host", "http://agent.example/callback"],
  ["a host that begins as a loopback address", "http://127.0.0.1.evil.example/"],
  ["another loopback address", "http://127.0.0.2/"],
  ["localhost with a dot", "http://localhost./"],
  ["port 0", "http://127.0.0.1:0/x"],
  ["a port with a leading zero", "http://127.0.0.1:0080/x"],
  ["a port above 65535", "http://127.0.0.1:65536/x"],
  ["a tab in the port", "http://127.0.0.1:8\t0/x"],
  ["https without host", "https:///callback"],
  ["https without slashes", "https:agent.example/callback"],
  ["an empty port", "https://agent.example:/callback"],
  ["the port 443 with a zero", "https://agent.example:0443/callback"],
  ["the port 443 twice", "https://agent.example:443:443/callback"],
  ["a host with a letter that becomes another one in lower case", "https://agent.example\u212A/callback"],
  ["a host that is encoded", "https://agent%2Eexample/callback"],
  ["a host of another script", "https://bücher.example/callback"],
  ["a host with an underscore, which no Content-Security-Policy can name", "https://my_agent.example/callback"],
  ["a host with a dot at the end, which no Content-Security-Policy can name", "https://agent.example./callback"],
  ["a hexadecimal address", "https://0x7f.0.0.1/callback"],
  ["a long IPv6 address", "https://[2001:db8:0:0:0:0:0:1]/callback"],
  ["a backslash", "https://agent.example\\@evil.example/callback"],
  ["a space", "https://agent.example/call back"],
  ["a line break", "https://agent.example/callback\r\nSet-Cookie: a=b"],
  ["a null", "https://agent.example/\0"],
  ["an escape of one digit", "https://agent.example/%4"],
  ["a script", "javascript:alert(1)"],
  ["a scheme without a dot", "example:/callback"],
  ["a scheme that ends with a dot", "example.:/callback"],
  ["an app without slash", "com.example.app:callback"],
  ["more than 2048 characters", `https://agent.example/${"x".repeat(2048)}`],
];

describe("a redirect URI that a client may register (RFC 8252 section 7, RFC 9700 section 4.1)", () => {
  it.each(allowed)("may be %s, which matches itself", (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
    expect(findRedirection([uri], uri)).toEqual({ redirectUri: uri, registered: uri });
  });

  it.each(forbidden)("may not have or be %s: %j, which matches nothing, not even itself", (_, uri) => {
    expect(isRedirectUri(uri)).toBe(false);
    expect(findRedirection([uri, ...allowed], uri)).toBeUndefined();
    expect(() => redirectTarget(uri)).toThrow(RangeError);
  });

  it("may have 2048 characters", () => {
    const uri = "https://agent.example/".padEnd(2048, "x");
    expect(isRedirectUri(uri)).toBe(true);
    expect(isRedirectUri(`${uri}x`)).toBe(false);
  });
});

describe("redirect URIs match in their normal form, loopback ports excepted (RFC 8252 section 7.3, RFC 3986 section 6.2)", () => {
  it.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", "http://127.0.0.1:49152/callback"],
    ["http://127.0.0.1:3000/callback", "http://127.0.0.1:49152/callback", "http://127.0.0.1:49152/callback"],
    ["http://127.0.0.1:3000/callback", "http://127.0.0.1:80/callback", "http://127.0.0.1/callback"],
    ["http://[::1]/callback", "http://[::1]:49152/callback", "http://[::1]:49152/callback"],
    ["http://localhost/callback?a=b", "http://localhost:1/callback?a=b", "http://localhost:1/callback?a=b"],
    ["http://localhost", "HTTP://LOCALHOST:49152/", "http://localhost:49152"],
    ["http://Localhost:80?a", "http://localhost:1/?a", "http://Localhost:1?a"],
    ["https://agent.example/callback", "HTTPS://AGENT.example:443/callback"],
    ["https://Agent.example:443/callback", "https://agent.example/callback"],
    ["https://agent.example", "https://agent.example/"],
    ["https://agent.example/?a=b", "https://agent.example?a=b"],
    ["https://xn--bcher-kva.example/", "https://XN--BCHER-KVA.example/"],
    ["https://[2001:db8::1]:8443/callback", "https://[2001:DB8::1]:8443/callback"],
    ["com.example.app:/Callback", "COM.Example.App:/Callback"],
  ])(
    "%s matches %s, and the response goes to the registered spelling",
    (registered, sent, redirectUri = registered) => {
      expect(findRedirection(["https://other.example/callback", registered], sent)).toEqual({
        redirectUri,
        registered,
      });
      expect(isSameRedirectUri(redirectUri, sent)).toBe(true);
    },
  );

  it("of two registered spellings, the response goes to the one that was sent", () => {
    const [one, other] = ["https://agent.example/", "https://Agent.example"];
    expect(findRedirection([one, other], other)).toEqual({ redirectUri: other, registered: other });
  });

  // The table of attacks in docs/oauth.md.
  it.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback/"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback?a=b"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/x/../callback"],
    ["http://127.0.0.1/callback", "https://127.0.0.1:49152/callback"],
    ["http://127.0.0.1/callback", "http://localhost:49152/callback"],
    ["http://127.0.0.1/callback", "http://[::1]:49152/callback"],
    ["https://localhost/callback", "https://localhost:8443/callback"],
    ["https://agent.example/callback", "https://agent.example:8443/callback"],
    ["https://agent.example/callback", "https://agent.example/callback/"],
    ["https://agent.example/callback", "https://agent.example/callback?a=b"],
    ["https://agent.example/callback?a=b", "https://agent.example/callback"],
    ["https://agent.example/callback", "https://agent.example/%63allback"],
    ["https://agent.example/call%2Fback", "https://agent.example/call/back"],
    ["https://agent.example/callback", "https://agent.example/Callback"],
    ["https://agent.example/callback", "https://agent.example/callback/../evil"],
    ["https://agent.example/callback", "https://agent.example/callback/%2e%2e/evil"],
    ["https://agent.example/callback", "https://agent.example/x/../callback"],
    ["https://agent.example/callback", "https://agent.example//callback"],
    ["https://agent.example/callback", "https://agent.example/callback.evil"],
    ["https://agent.example/callback", "https://evil.agent.example/callback"],
    ["https://agent.example/callback", "https://agent.example.evil.example/callback"],
    ["https://agent.example/callback", "https://evil.example\\@agent.example/callback"],
    ["https://agent.example/callback", "https://agent.example\\.evil.example/callback"],
    ["https://agent.example/callback", "https://agent.example/call\tback"],
    ["https://agent.example/callback", "https://agent.example/callback\n"],
    ["https://agent.example/callback", "https://agent.example:80/callback"],
    ["https://agent.example:8443/callback", "https://agent.example/callback"],
    ["https://agent.example/callback", "https://\u{1D41A}gent.example/callback"],
    ["https://xn--bcher-kva.example/callback", "https://b\u00fccher.example/callback"],
    ["https://agent.example/callback", "javascript://agent.example/callback"],
    ["https://agent.example/callback", "https://evil.example/callback"],
    ["https://agent.example/callback", "http://agent.example/callback"],
    ["com.example.app:/callback", "com.example.app://callback"],
  ])("%s does not match %s", (registered, sent) => {
    expect(findRedirection([registered], sent)).toBeUndefined();
    expect(isSameRedirectUri(registered, sent)).toBe(false);
  });

  it("nothing matches if nothing is registered", () => {
    expect(findRedirection([], "http://127.0.0.1/callback")).toBeUndefined();
  });
});

describe("where a redirect URI leads", () => {
  it.each([
    ["https://agent.example/callback", { kind: "host", host: "agent.example" }],
    ["https://agent.example:8443/callback", { kind: "host", host: "agent.example:8443" }],
    ["https://Agent.Example:443/callback", { kind: "host", host: "agent.example" }],
    ["http://127.0.0.1:49152/callback", { kind: "loopback" }],
    ["https://localhost:8443/callback", { kind: "loopback" }],
    ["com.example.app:/callback", { kind: "app", scheme: "com.example.app" }],
    ["com.example.app://agent.example/callback", { kind: "app", scheme: "com.example.app" }],
  ])("%s: %j", (uri, target) => {
    expect(redirectTarget(uri)).toEqual(target);
  });
});
