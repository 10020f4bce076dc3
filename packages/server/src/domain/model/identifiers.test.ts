import { describe, expect, it } from "vitest";
import { isSameIssuer, isSameResource, normalizeUri } from "./identifiers.js";

// What is the same and what is not in a path and a host is in the tables of redirect-uri.test.ts.
describe("the identifiers of resources and issuers (RFC 8707, RFC 8414)", () => {
  it.each([
    ["https://api.example", "HTTPS://API.example:443/", true, true],
    ["https://api.example/mcp", "https://api.example/mcp/", true, false],
    ["https://api.example/mcp/", "https://api.example/mcp", true, false],
    ["https://api.example/mcp", "https://api.example/mcp//", false, false],
    ["https://api.example/mcp", "https://api.example/x/../mcp", false, false],
    ["https://api.example/mcp", "https://api.example/mcp?", false, false],
    ["https://api.example/mcp", "https://api.example/mcp#", false, false],
    ["https://api.example", "https://api.example@evil.example", false, false],
    ["https://kiosk.example", "https://\u212Aiosk.example", false, false],
    ["urn:Example:api", "URN:Example:api", true, true],
    ["urn:Example:api", "urn:example:api", false, false],
  ])("%s and %s: the same resource %s, the same issuer %s", (one, other, resource, issuer) => {
    expect([isSameResource(one, other), isSameIssuer(one, other)]).toEqual([resource, issuer]);
  });

  it("a text that is not a URI stays as it is", () => {
    for (const text of ["", "API", "HTTPS://API.example/\t", "HTTPS://a b.example"])
      expect(normalizeUri(text)).toBe(text);
  });
});
