import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { createPlatformClient, waitForDeviceAuthorization } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";

const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
const base = { baseUrl: "https://api.example.com", token: "t" };

beforeEach(() => {
  for (const name of ["PLATFORM_URL", "PLATFORM_TOKEN", "PLATFORM_LOG"]) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** A fake platform with one item, and the headers of the requests that reached it. */
function platformWithItem() {
  const platform = createFakePlatform();
  platform.putItem(item);
  const requests: Headers[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    requests.push(new Headers(init?.headers));
    return platform.options.fetch(input, init);
  };
  return { platform, requests, options: { ...platform.options, fetch } };
}

it("PLATFORM_URL and PLATFORM_TOKEN are the defaults of baseUrl and token", async () => {
  const { options, requests } = platformWithItem();
  const { accessToken } = options.token();
  vi.stubEnv("PLATFORM_URL", "https://platform.test/");
  vi.stubEnv("PLATFORM_TOKEN", accessToken);
  await createPlatformClient({ fetch: options.fetch, clock: options.clock }).vault.deleteItem(item);
  expect(requests[0]?.get("Authorization")).toBe(`Bearer ${accessToken}`);
});

it("the schemes of URLs may have any case (RFC 3986 section 3.1)", () => {
  const { options } = platformWithItem();
  expect(() => createPlatformClient({ ...options, baseUrl: "HTTPS://platform.test/" })).not.toThrow();
  for (const baseUrl of ["HTTPS://ada:secret@platform.test", "JAVASCRIPT://platform.test"])
    expect(() => createPlatformClient({ ...options, baseUrl })).toThrow("baseUrl must be an http(s) URL");
});

it("works without a process, and when reading the environment throws", async () => {
  const { options } = platformWithItem();
  const forbidden = {
    get env() {
      return expect.unreachable("permission denied");
    },
  };
  for (const process of [undefined, {}, forbidden]) {
    vi.stubGlobal("process", process);
    expect(() => createPlatformClient(options)).not.toThrow();
    expect(() => createPlatformClient({ baseUrl: "https://a.example" })).toThrow("PLATFORM_TOKEN");
  }
});

it("programs send the SDK and its version as User-Agent, browsers as X-Platform-Client", async () => {
  const { options, requests } = platformWithItem();
  await createPlatformClient(options).vault.deleteItem(item);
  await createPlatformClient({ ...options, userAgent: "tidy/1.0" }).vault.deleteItem(item);
  vi.stubGlobal("process", undefined);
  await createPlatformClient(options).vault.deleteItem(item);
  expect(requests.map((one) => [one.get("User-Agent"), one.get("X-Platform-Client")])).toEqual([
    [expect.stringMatching(/^platform-rpc-client\//), null],
    ["tidy/1.0", expect.stringMatching(/^platform-rpc-client\//)],
    [null, expect.stringMatching(/^platform-rpc-client\//)],
  ]);
  const create = () => createPlatformClient({ ...options, userAgent: "a\nb" });
  expect(create).toThrow("userAgent must be a string of printable ASCII.");
});

it("withOptions changes some options, and shares the cached token and the retry budget", async () => {
  const { platform, options, requests } = platformWithItem();
  const client = createPlatformClient(options);
  await client.vault.deleteItem(item);
  const impatient = client.withOptions({ timeoutMs: 1_000 });
  await impatient.vault.deleteItem(item);
  expect(requests.map((one) => one.get("Authorization"))).toEqual(Array(2).fill("Bearer fake-token-1"));
  expect(requests[1]?.get("Connect-Timeout-Ms")).toBe("1000");
  platform.failNext("unavailable", { times: 100 });
  for (let call = 0; call < 20; call += 1) await client.vault.deleteItem(item).catch(() => undefined);
  requests.length = 0;
  await rejection(impatient.vault.deleteItem(item));
  expect(requests).toHaveLength(1);
  const other = client.withOptions({ token: "another" });
  await rejection(other.vault.deleteItem(item));
  expect(requests[1]?.get("Authorization")).toBe("Bearer another");
});

it("retry of a call takes precedence over the client's", async () => {
  const { platform, options } = platformWithItem();
  platform.failNext("unavailable", { times: 3 });
  const client = createPlatformClient(options);
  await rejection(client.vault.deleteItem(item, { retry: false }));
  expect(platform.calls).toHaveLength(1);
  await rejection(client.vault.deleteItem(item, { retry: { maxAttempts: 2 } }));
  expect(platform.calls).toHaveLength(3);
});

it("a result has the response; its copies do not", async () => {
  const { options } = platformWithItem();
  const result = await createPlatformClient(options).vault.deleteItem(item);
  expect(result.response.status).toBe(200);
  expect(result.response.headers.get("X-Request-Id")).toBe(result.requestId);
  expect(Object.keys(result)).not.toContain("response");
});

describe("logger", () => {
  function logging(logLevel?: "debug" | "info" | "warn" | "off", sunset = "Wed, 30 Jun 2027 00:00:00 GMT") {
    const lines: string[] = [];
    const log = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const logger = { debug: log("debug"), info: log("info"), warn: log("warn") };
    const platform = platformWithItem();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await platform.options.fetch(input, init);
      const headers = new Headers(answer.headers);
      headers.set("Deprecation", "@1798761600");
      if (sunset !== "") headers.set("Sunset", sunset);
      return new Response(answer.body, { status: answer.status, headers });
    };
    platform.platform.failNext("unavailable");
    const client = createPlatformClient({ ...platform.options, fetch, logger, logLevel });
    return { lines, client };
  }

  it.each([
    { logLevel: "off", levels: [] },
    { logLevel: undefined, levels: ["warn"] },
    { logLevel: "info", levels: ["warn", "info"] },
    { logLevel: "debug", levels: ["debug", "warn", "info", "debug", "debug"] },
  ] as const)("at $logLevel writes $levels, and warns of a deprecated operation once", async ({ logLevel, levels }) => {
    const { lines, client } = logging(logLevel);
    await client.vault.deleteItem(item);
    await client.vault.deleteItem(item);
    expect(lines.map((line) => line.split(" ")[0])).toEqual(levels);
    expect(lines.join("\n")).not.toMatch(/fake-token|vault-1|item-1/);
  });

  it("PLATFORM_LOG is the default of logLevel", async () => {
    vi.stubEnv("PLATFORM_LOG", "off");
    const { lines, client } = logging();
    await client.vault.deleteItem(item);
    expect(lines).toEqual([]);
  });

  it.each([
    ["Wed, 30 Jun 2027 00:00:00 GMT", "Wed, 30 Jun 2027 00:00:00 GMT"],
    ["", "not announced"],
  ])("warns when an operation with the Sunset header %j ends", async (sunset, announced) => {
    const { lines, client } = logging(undefined, sunset);
    await client.vault.deleteItem(item);
    expect(lines).toEqual([
      `warn platform.v1.VaultService/DeleteItem is deprecated. Sunset: ${announced}. Update @platform-rpc/client.`,
    ]);
  });
});

it.each(["ERR_INVALID_URL", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "EPROTO", "HPE_INVALID_CONSTANT"])(
  "%s is not retried and not retryable",
  async (code) => {
    let sent = 0;
    const fetch = () => {
      sent += 1;
      return Promise.reject(Object.assign(new Error("no"), { code }));
    };
    const client = createPlatformClient({ ...base, fetch });
    const error = await rejection(client.vault.deleteItem(item));
    expect(error).toMatchObject({ reason: "NETWORK_ERROR", retryable: false, cause: { code } });
    expect(sent).toBe(1);
  },
);

it.each([[], [undefined], [null], ["item-1"], [{}]])(
  "arguments %j reject with INVALID_FIELD and are not sent",
  async (...args) => {
    const client = createPlatformClient({ ...base, fetch: () => expect.unreachable("sent") });
    const { deleteItem } = client.vault;
    const { exchangeMcpOauthDeviceAuthorization: exchange } = client.identityGateway;
    for (const call of [deleteItem, exchange]) {
      const error = await rejection(Reflect.apply(call, undefined, args));
      expect(error.reason).toBe("INVALID_FIELD");
      expect(error.violations.length).toBeGreaterThan(0);
    }
    if (args[0] !== "item-1")
      expect((await rejection(Reflect.apply(waitForDeviceAuthorization, undefined, [client, ...args]))).reason).toBe(
        "INVALID_FIELD",
      );
  },
);

it("a call with options that are not valid rejects without repeating them, and is not sent", async () => {
  const options = JSON.parse('{ "toString": "5s", "headers": "X-Note: canary" }');
  const ended: unknown[] = [];
  const client = createPlatformClient({
    baseUrl: "https://api.example.com",
    token: () => expect.unreachable("a token was requested"),
    hooks: { onEnd: (_, { error }) => void ended.push(error) },
  });
  const error = await rejection(Reflect.apply(client.vault.deleteItem, undefined, [item, options]));
  expect(error).toMatchObject({ reason: "INVALID_FIELD", code: "invalid_argument", retryable: false });
  expect(error.message).toContain("toString is not an option. Use signal, timeoutMs, retry, headers.");
  expect(error.message).toContain("headers must be of type object, not string.");
  expect(error.message).not.toContain("canary");
  expect(error.violations).toHaveLength(2);
  expect(ended).toEqual([error]);
});

it("a call with the options null has no options", async () => {
  const { options, platform } = platformWithItem();
  await Reflect.apply(createPlatformClient(options).vault.deleteItem, undefined, [item, null]);
  expect(platform.calls).toHaveLength(1);
});

it("createPlatformClient names every option that is not valid", () => {
  const options = { ...base, fetch: "fetch", retry: { attempts: 1 } };
  expect(() => Reflect.apply(createPlatformClient, undefined, [options])).toThrow(
    "fetch must be of type function, not string. retry.attempts is not an option. Use maxAttempts, attemptTimeoutMs.",
  );
});

it("a new detail or field does not hide the reason", async () => {
  const details = [
    { type: "platform.v2.Later", debug: { reason: 7, domain: "elsewhere", retryDelay: {}, fieldViolations: "none" } },
    { type: "google.rpc.ErrorInfo", debug: { reason: "DENIED", domain: "proxy.example" } },
    { type: "google.rpc.ErrorInfo", debug: { reason: "ITEM_NOT_FOUND", domain: "platform.v1", later: [] } },
    null,
  ];
  const fetch = async () => Response.json({ code: "not_found", message: "No.", details, later: {} }, { status: 404 });
  const client = createPlatformClient({ ...base, fetch });
  expect(await rejection(client.vault.deleteItem(item))).toMatchObject({
    reason: "ITEM_NOT_FOUND",
    code: "not_found",
  });
});
