import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readDocument } from "./read-document.js";

const url = "https://app.example/client.json";
const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const code = ["authorization_code", "refresh_token"];
/** A client that can authenticate, and also be public. */
const keysToo = {
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
};
const redirects = ["http://127.0.0.1/callback", "http://localhost/callback"];

const write = (fields: object) => JSON.stringify({ client_id: url, client_name: "Agent", ...fields });
const read = (fields: object) => readDocument(url, write(fields)).described;

/** Returns what the log and the caller get for an invalid document. */
function rejection(fields: object) {
  try {
    return read(fields);
  } catch (error) {
    return error;
  }
}

describe("RFC 7591 section 2: a client metadata document", () => {
  it("needs no member but its client_id: its client may then use every grant, and no redirect URI", () => {
    expect(read({})).toEqual({
      name: "app.example: Agent",
      redirectUris: [],
      grantTypes: [],
      requirePushedAuthorizationRequests: false,
    });
  });

  it.each<[string, object, readonly string[]]>([
    ["of ChatGPT", { ...keysToo, grant_types: code, jwks_uri: "https://c.example/jwks.json" }, code],
    ["of Claude Code", { grant_types: code, token_endpoint_auth_method: "none" }, code],
    ["of OpenCode", { token_endpoint_auth_methods_supported: ["none"], application_type: "native" }, []],
    [
      "of Visual Studio Code",
      { grant_types: [...code, deviceCode], application_type: "native" },
      [...code, deviceCode],
    ],
    ["with a grant that the server does not have", { grant_types: [...code, "urn:x:jwt-bearer"] }, code],
    ["with fields of which the server reads nothing", { scope: 1, jwks: [], software_id: null }, []],
  ])("%s is valid", (_, fields, grantTypes) => {
    const redirectUris = ["http://127.0.0.1:33418/", "https://vscode.dev/redirect", "http://localhost/callback"];
    const documented = read({ response_types: ["code"], ...fields, redirect_uris: redirectUris });
    expect(documented).toMatchObject({ redirectUris, grantTypes });
  });

  const many = Array.from({ length: 11 }, (_, at) => `https://leak.example/${at}`);
  it.each<[object, object, string?]>([
    [{ client_name: null, redirect_uris: null, grant_types: null, client_secret: null }, { name: "app.example" }],
    [{ token_endpoint_auth_method: null, response_types: null, scope: null }, { name: "app.example: Agent" }],
    [keysToo, { redirectUris: [] }, "token_endpoint_auth_method is read as none, because"],
    [{ client_name: "\u{1f469}\u{1f3fd}\u200d\u{1f4bb} A" }, { name: "app.example: 👩🏽‍💻 A" }],
    [{ client_name: "bank.example: Bank" }, { name: "app.example: bank.example: Bank" }],
    [{ client_name: "é".repeat(65) }, { name: `app.example: ${"é".repeat(64)}` }, "client_name must have at most 64"],
    ...["\u202eleak", "a\u200dleak", "\u2066leak", " ", 1, "\ud800"].map((name): [object, object, string] => [
      { client_name: name },
      { name: "app.example" },
      "client_name must have visible characters",
    ]),
    ...["https://a.example/#leak", "javascript:leak()", "http://leak.example/", null].map(
      (uri): [object, object, string] => [
        { redirect_uris: [...redirects, uri] },
        { redirectUris: redirects },
        "redirect_uris[2] must be a loopback",
      ],
    ),
    [{ redirect_uris: many }, { redirectUris: many.slice(0, 10) }, "redirect_uris must have at most 10"],
    [{ redirect_uris: redirects[0] }, { redirectUris: redirects.slice(0, 1) }],
    [
      { redirect_uris: redirects, grant_types: [...code, deviceCode], response_types: ["leak"] },
      { redirectUris: [] },
      "response_types must be absent, or contain code",
    ],
    [
      { require_pushed_authorization_requests: "leak" },
      { requirePushedAuthorizationRequests: false },
      "require_pushed_authorization_requests must be true or false",
    ],
  ])(
    "with %j is read without what breaks a rule, and says which, also after a byte order mark",
    (fields, described, rule) => {
      const found = readDocument(url, `\ufeff${write(fields)}`);
      expect(found.described).toMatchObject(described);
      expect(found.leftOut).toEqual(rule === undefined ? [] : [expect.stringContaining(rule)]);
      expect(String(found.leftOut)).not.toContain("leak");
    },
  );

  it.each<[string, object]>([
    ["the device grant alone", { grant_types: [deviceCode], response_types: [] }],
    ["no grants, and no response type", { response_types: [] }],
  ])("with %s needs no redirect URI", (_, fields) => {
    expect(read(fields)).toMatchObject({ redirectUris: [] });
  });

  it("like the example of docs/oauth.md is valid", async () => {
    const text = await readFile(new URL("../../../../../docs/oauth.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n(\{\n {2}"client_id"[^`]*)```/.exec(text) ?? [];
    const { described, leftOut } = readDocument("https://client.example.com/oauth/client.json", example);
    expect(described).toEqual({
      name: "client.example.com: Example client",
      redirectUris: ["http://127.0.0.1/callback", "https://client.example.com/callback"],
      grantTypes: code,
      requirePushedAuthorizationRequests: false,
    });
    expect(leftOut).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["a secret", { client_secret: "leak" }, "client_secret must be absent"],
    ["client authentication", { token_endpoint_auth_method: "leak" }, "token_endpoint_auth_method must be none"],
    ["keys only", { token_endpoint_auth_method: "private_key_jwt" }, "private_key_jwt is not supported"],
    ["only keys in its list", { token_endpoint_auth_methods_supported: ["leak"] }, "private_key_jwt is not supported"],
    ["a number as redirect URI", { redirect_uris: [1] }, "redirect_uris[0] must be a loopback http URI"],
    ["a redirect URI that is a script", { redirect_uris: ["javascript:leak()"] }, "redirect_uris[0]"],
    ["an empty list of grants", { grant_types: [], redirect_uris: redirects }, "grant_types must be absent, or a list"],
    [
      "a refresh token alone",
      { grant_types: ["refresh_token"], redirect_uris: redirects },
      "grant_types must be absent",
    ],
    ["a code without redirect URI", { grant_types: ["authorization_code"] }, "redirect_uris must contain a URI"],
    [
      "a code without its response type",
      { grant_types: ["authorization_code"], redirect_uris: ["x:y", ...redirects], response_types: ["leak"] },
      "response_types must be absent, or contain code",
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
