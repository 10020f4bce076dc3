import { Code } from "@connectrpc/connect";
import { BadRequestSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { entries, waitForDeviceAuthorization } from "../src/fixtures/entries.js";
import { rejection } from "../src/fixtures/rejection.js";
import type { CommonOptions, HttpOptions } from "../src/index.js";
import { createFakePlatform } from "../src/testing/index.js";
import { rpcError, serveStock } from "./fixtures/stock-server.js";

type Create = (typeof entries)[number]["createPlatformClient"];
const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
const options = { baseUrl: "https://api.example.com", token: "token-1", retry: false } as const;

/** The message of what a call rejects with, or of what creating the client throws. */
async function messageOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
    return expect.unreachable("nothing failed");
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : expect.unreachable("not an Error");
  }
}

/** Options and arguments as a program in JavaScript may pass them. */
const creating = (wrong: Record<string, unknown>) => (create: Create) =>
  messageOf(async () => Reflect.apply(create, undefined, [{ ...options, ...wrong }]));
const calling = (more: CommonOptions & HttpOptions) => (create: Create) =>
  messageOf(() => create({ ...options, ...more }).vault.deleteItem(item));
const deleting =
  (...args: readonly unknown[]) =>
  (create: Create) =>
    messageOf(() => Reflect.apply(create(options).vault.deleteItem, undefined, args));
const answering =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (create: Create) =>
    messageOf(() => {
      const fetch = async () => new Response(body, { status, headers });
      return create({ ...options, fetch }).vault.deleteItem(item);
    });
const lacking = (name: "fetch" | "TextDecoder", run: (create: Create) => Promise<string>) => (create: Create) => {
  const { [name]: value } = globalThis;
  Reflect.deleteProperty(globalThis, name);
  return run(create).finally(() => Object.assign(globalThis, { [name]: value }));
};
const rejecting =
  (code: Code, reason: string, ...details: Parameters<typeof rpcError>[2] & object) =>
  async (create: Create) => {
    const fail = () => {
      throw rpcError(code, reason, details, "The request is not valid.");
    };
    const baseUrl = await serveStock({ deleteItem: fail });
    return await messageOf(() => create({ ...options, baseUrl }).vault.deleteItem(item));
  };
const failing = (name: string, code: string) => () =>
  Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { name, code }) }));
const never = () => new Promise<never>(() => undefined);

const errorBody = (code: string, reason: string, message: string) => {
  const details = [{ type: "google.rpc.ErrorInfo", debug: { reason, domain: "platform.v1" } }];
  return JSON.stringify({ code, message, details });
};
const insufficientScope = errorBody("permission_denied", "INSUFFICIENT_SCOPE", "The token lacks a scope.");
const operationUnknown = errorBody("unimplemented", "OPERATION_UNKNOWN", "The server has no operation at this path.");
const violation = {
  desc: BadRequestSchema,
  value: { fieldViolations: [{ field: "baseVersion", description: "must be greater than or equal to 1" }] },
};

/** What a programmer does wrong, and what a client says. */
const mistakes: readonly (readonly [mistake: string, message: (create: Create) => Promise<string>])[] = [
  ["`timeout` instead of `timeoutMs`", creating({ timeout: 5_000 })],
  ['`timeoutMs: "5s"`', creating({ timeoutMs: "5s" })],
  ["`retry: { maxAttempts: 0 }`", creating({ retry: { maxAttempts: 0 } })],
  ["a token with `Bearer ` in front", creating({ token: "Bearer abc" })],
  ["a token that ends with a line break", creating({ token: "abc\n" })],
  ["no token", creating({ token: undefined })],
  ["no `baseUrl`", creating({ baseUrl: undefined })],
  ["a `baseUrl` with the name of a service", creating({ baseUrl: `${options.baseUrl}/platform.v1.VaultService` })],
  ["a `baseUrl` without a scheme", creating({ baseUrl: "api.example.com" })],
  [
    "`createPlatformClient(url, token)`",
    (create) => messageOf(async () => Reflect.apply(create, undefined, ["https://api.example.com", "abc"])),
  ],
  ["`hooks: { onretry }` instead of `onRetry`", creating({ hooks: { onretry: () => undefined } })],
  ['`logLevel: "verbose"`', creating({ logLevel: "verbose" })],
  ["a call without its request", deleting()],
  ["fields in snake_case", deleting({ vaultId: "vault-1", item_id: "item-1", base_version: 1 })],
  ['`timeoutMs: "5s"` of a call', deleting(item, { timeoutMs: "5s" })],
  ["an AbortController as `signal`", deleting(item, { signal: new AbortController() })],
  ["an option that a call does not have", deleting(item, { timeout: 5_000 })],
  ["a header that HTTP does not allow", deleting(item, { headers: { "X-Note": "two\nlines" } })],
  ["`Authorization` among the headers of a call", deleting(item, { headers: { authorization: "Bearer token-2" } })],
  [
    "a `fetch` that returns no Response, such as axios",
    calling({ fetch: async () => Object({ status: 200, data: {}, headers: {} }) }),
  ],
  ["a test environment without TextDecoder, such as jsdom", lacking("TextDecoder", answering(200, "{}"))],
  ["a test environment without fetch, such as jsdom", lacking("fetch", calling({}))],
  ["a server that is not running", calling({ fetch: failing("Error", "ECONNREFUSED") })],
  [
    "a port that `fetch` blocks, such as 9",
    calling({ fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("bad port") })) }),
  ],
  ["a host name that does not exist", calling({ fetch: failing("Error", "ENOTFOUND") })],
  ["a self-signed certificate", calling({ fetch: failing("Error", "DEPTH_ZERO_SELF_SIGNED_CERT") })],
  [
    "an origin that the server does not allow (CORS)",
    calling({ fetch: () => Promise.reject(new TypeError("Failed to fetch")) }),
  ],
  ["a `baseUrl` that leads to a web page", answering(404, "<html>Not Found</html>", { "Content-Type": "text/html" })],
  ["a `baseUrl` with a path that the server does not have", answering(404, operationUnknown)],
  ["a gateway whose upstream is down", answering(502, "Bad Gateway")],
  ["a `baseUrl` that redirects", answering(301, "", { Location: "https://new.example.com/api?session=1" })],
  [
    "a server that speaks only the binary format of Connect",
    answering(415, "", { "Accept-Post": "application/proto" }),
  ],
  ["a `timeoutMs` that is too short", calling({ fetch: never, timeoutMs: 20 })],
  ["an attempt that hangs", calling({ fetch: never, retry: { maxAttempts: 1, attemptTimeoutMs: 20 } })],
  ["a token provider that hangs", calling({ token: never, timeoutMs: 20 })],
  ["a token provider that throws", calling({ token: () => Promise.reject(new RangeError("logged out")) })],
  ["a token provider that returns no bearer token", calling({ token: () => "two words" })],
  ["a token provider that returns `access_token`", calling({ token: () => Object({ access_token: "t" }) })],
  [
    "a token provider whose `expiresAt` is in seconds",
    calling({ token: () => ({ accessToken: "t", expiresAt: Object(1_900_000_000) }) }),
  ],
  ["a request that breaks a rule", rejecting(Code.InvalidArgument, "INVALID_FIELD", violation)],
  [
    "a token that lacks a scope",
    answering(403, insufficientScope, {
      "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="vault.items:delete"',
    }),
  ],
  ["a call whose signal is aborted", deleting(item, { signal: AbortSignal.abort() })],
  [
    "a wait for a device code that expires",
    (create) => {
      const platform = createFakePlatform();
      const started = platform.startDevice({ expiresInSeconds: 20 });
      return messageOf(() => waitForDeviceAuthorization(create(platform.options), started));
    },
  ],
];

const introduction = `# Errors of @platform-rpc/client in practice

Common mistakes, and the message that each produces. A message says what happened, where, why, and what to do next. The
message of a failed call ends with the URL of the page about its reason, at the server that was called, if a platform can be there. A test compares this page with the messages of both
entries of the package. To update it, run
\`npx -y pnpm@12 exec vitest run packages/client/test/errors-in-practice.test.ts --update\`.

| mistake | message |
| --- | --- |
`;

/** A row of the page. Request ids and ports are random, and one entry has two options more. */
function row(mistake: string, message: string): string {
  const shown = message
    .replace(/Request \S+\./, "Request 4f1c….")
    .replace(/https?:\/\/[^/ ]+(?=\/docs\/errors)/, options.baseUrl)
    .replace("interceptors, transport, ", "");
  return `| ${mistake} | ${shown} |\n`;
}

it.each(entries)("$entry says what happened, where, why and what to do: docs/errors-in-practice.md", async (entry) => {
  let page = introduction;
  for (const [mistake, message] of mistakes) page += row(mistake, await message(entry.createPlatformClient));
  await expect(page).toMatchFileSnapshot("../../../docs/errors-in-practice.md");
});

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  it("does not show the body of a success: it may contain tokens", async () => {
    const fetch = async () => new Response('{"accessToken":"canary"');
    const error = await rejection(createPlatformClient({ ...options, fetch }).vault.deleteItem(item));
    expect(error.message).toContain("Unexpected response from api.example.com: 200. ");
    expect(error.message).not.toContain("canary");
  });

  it("shows the first 200 characters of an unexpected response, with escapes", async () => {
    const fetch = async () => new Response(`\u001b[31m${"x".repeat(300)}`, { status: 500 });
    const { message } = await rejection(createPlatformClient({ ...options, fetch }).vault.deleteItem(item));
    expect(message).toContain(`"\\u001b[31m${"x".repeat(190)}"`);
  });
});
