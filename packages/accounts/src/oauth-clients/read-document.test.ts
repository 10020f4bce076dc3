import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type DocumentedClient, readDocument } from "./read-document.js";

const url = "https://app.example/client.json";
const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const redirects = ["http://127.0.0.1/callback", "http://localhost/callback"];

const read = (fields: object): DocumentedClient =>
  readDocument(url, JSON.stringify({ client_id: url, client_name: "Agent", ...fields }));

/** Returns what the log and the caller get for an invalid document. */
function rejection(fields: object) {
  try {
    return read(fields);
  } catch (error) {
    return error;
  }
}

describe("RFC 7591 section 2: a client metadata document", () => {
  it("needs only a name: its client may then use every grant, and no redirect URI", () => {
    expect(read({})).toEqual({
      name: "app.example: Agent",
      redirectUris: [],
      grantTypes: [],
      requirePushedAuthorizationRequests: false,
    });
  });

  it.each<[string, object, readonly string[]]>([
    [
      "of an MCP client",
      { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], application_type: "native" },
      ["authorization_code", "refresh_token"],
    ],
    [
      "with the device grant, too",
      { grant_types: ["authorization_code", "refresh_token", deviceCode], response_types: ["code"] },
      ["authorization_code", "refresh_token", deviceCode],
    ],
    [
      "with a grant that the server does not have",
      { grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:jwt-bearer"] },
      ["authorization_code"],
    ],
    ["without grants", { response_types: ["code"] }, []],
    ["with fields of which the server reads nothing", { scope: 1, jwks: [], software_id: null }, []],
  ])("%s is valid", (_, fields, grantTypes) => {
    const documented = read({ ...fields, redirect_uris: redirects, token_endpoint_auth_method: "none" });
    expect(documented).toMatchObject({ redirectUris: redirects, grantTypes });
  });

  it.each<[string, object]>([
    ["the device grant alone", { grant_types: [deviceCode], response_types: [] }],
    ["the device grant, and one that it cannot use", { grant_types: [deviceCode, "authorization_code"] }],
    ["no grants, and no response type", { response_types: [] }],
  ])("with %s needs no redirect URI", (_, fields) => {
    expect(read(fields)).toMatchObject({ redirectUris: [] });
  });

  it("like the example of docs/oauth.md is valid", async () => {
    const text = await readFile(new URL("../../../../docs/oauth.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n(\{\n {2}"client_id"[^`]*)```/.exec(text) ?? [];
    expect(readDocument("https://client.example.com/oauth/client.json", example)).toEqual({
      name: "client.example.com: Example client",
      redirectUris: ["http://127.0.0.1/callback", "https://client.example.com/callback"],
      grantTypes: ["authorization_code", "refresh_token"],
      requirePushedAuthorizationRequests: false,
    });
  });

  it("may have 10 redirect URIs, and require pushed authorization requests (RFC 9126 section 6)", () => {
    const redirectUris = Array.from({ length: 10 }, (_, at) => `https://app.example/${at}`);
    expect(read({ redirect_uris: redirectUris, require_pushed_authorization_requests: true })).toMatchObject({
      redirectUris,
      requirePushedAuthorizationRequests: true,
    });
  });

  it.each<[string, object, string]>([
    ["no name", { client_name: undefined }, "client_name must have 1 to 64 visible characters"],
    ["a name that is too long", { client_name: "x".repeat(65) }, "client_name must have 1 to 64 visible characters"],
    ["a name that changes the direction of text", { client_name: "\u202eleak" }, "client_name must have"],
    ["a secret", { client_secret: "leak" }, "client_secret must be absent"],
    ["client authentication", { token_endpoint_auth_method: "leak" }, "token_endpoint_auth_method must be none"],
    [
      "one redirect URI that is not in a list",
      { redirect_uris: "https://leak.example/" },
      "redirect_uris must be a list",
    ],
    [
      "11 redirect URIs",
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://leak.example/${at}`) },
      "redirect_uris must be a list of at most 10 URIs",
    ],
    ["a number as redirect URI", { redirect_uris: [1] }, "redirect_uris[0] must be a loopback http URI"],
    [
      "a redirect URI with a fragment",
      { redirect_uris: [...redirects, "https://a.example/#leak"] },
      "redirect_uris[2]",
    ],
    ["a redirect URI with user information", { redirect_uris: ["https://leak@a.example/"] }, "redirect_uris[0]"],
    ["a redirect URI of another script", { redirect_uris: ["https://lèak.example/"] }, "redirect_uris[0]"],
    ["a redirect URI over http", { redirect_uris: ["http://leak.example/"] }, "redirect_uris[0]"],
    ["a redirect URI that is a script", { redirect_uris: ["javascript:leak()"] }, "redirect_uris[0]"],
    ["grants that are not in a list", { grant_types: "leak" }, "grant_types must be absent, or a list"],
    [
      "no grant of the server",
      { grant_types: ["leak"], redirect_uris: redirects },
      "grant_types must be absent, or a list",
    ],
    ["an empty list of grants", { grant_types: [], redirect_uris: redirects }, "grant_types must be absent, or a list"],
    [
      "a refresh token alone",
      { grant_types: ["refresh_token"], redirect_uris: redirects },
      "grant_types must be absent",
    ],
    ["a code without redirect URI", { grant_types: ["authorization_code"] }, "redirect_uris must contain a URI"],
    [
      "a code without its response type",
      { grant_types: ["authorization_code"], redirect_uris: redirects, response_types: ["leak"] },
      "response_types must be absent, or contain code",
    ],
    [
      "redirect URIs without the response type",
      { redirect_uris: redirects, response_types: ["leak"] },
      "response_types must be absent, or contain code",
    ],
    ["response types that are not in a list", { response_types: "leak" }, "response_types must be a list"],
    [
      "pushed requests that are neither on nor off",
      { require_pushed_authorization_requests: "leak" },
      "require_pushed_authorization_requests must be true or false",
    ],
  ])("with %s is rejected with the rule, and nothing of the document", (_, fields, rule) => {
    const error = rejection(fields);
    expect(error).toMatchObject({ problem: "INVALID_METADATA", detail: expect.stringContaining(rule) });
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The client metadata document is not valid: .*\. Correct it/),
    });
    expect(error).toMatchObject({ message: expect.stringContaining(rule) });
    expect(String(error)).not.toMatch(/leak|lèak/);
    // RFC 6749 section 5.2: the characters of error_description.
    expect(String(error)).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
