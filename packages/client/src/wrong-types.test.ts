import { afterAll, describe, expect, it, vi } from "vitest";
import { isPlatformError } from "./error/platform-error.js";
import { entries, waitForDeviceAuthorization } from "./fixtures/entries.js";
import { createPlatformTransport } from "./index.js";
import { openTelemetry } from "./otel/index.js";
import { createProofKey, restoreProofKey, thumbprint } from "./pop/index.js";
import { createDeviceSession, createMemorySessionStore } from "./session/index.js";
import { createFileSessionStore } from "./session-file/index.js";
import { createBrowserSession } from "./session-loopback/index.js";
import { createFakePlatform } from "./testing/index.js";
import { createUndiciFetch } from "./undici/index.js";

/** A value of each type, as a program in JavaScript may pass by mistake. */
const values: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  "a number": -1,
  NaN: Number.NaN,
  "a bigint": 1n,
  "a text": "no",
  "an empty text": "",
  "a symbol": Symbol("no"),
  "a list": [5],
  "an object": { unknown: 5 },
  "an object without a prototype": Object.create(null),
  "a function": () => undefined,
  "a promise": Promise.resolve({}),
  "a Date": new Date(0),
  "an AbortController": new AbortController(),
};

/** The values that are right for an option, or that JavaScript programs use for none. */
const right = {
  text: ["a text", "an empty text"],
  number: ["a number", "NaN"],
  function: ["a function"],
  boolean: ["true"],
  object: ["an object", "an object without a prototype", "a Date", "an AbortController", "a list"],
  options: ["an object", "an object without a prototype", "a Date", "an AbortController", "a list", "null"],
};

const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

interface Case {
  readonly option: string;
  readonly call: (value: unknown) => unknown;
  /** The values that are right. Default: none. */
  readonly allowed?: readonly string[];
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
process.on("unhandledRejection", note);
process.on("uncaughtException", note);
afterAll(() => {
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
});

/** Passes each value, and expects an error that names the option. */
async function expectNamed({ option, call, allowed = [] }: Case): Promise<void> {
  for (const [kind, value] of Object.entries(values)) {
    if (allowed.includes(kind)) continue;
    let thrown: unknown;
    try {
      await call(value);
    } catch (error) {
      thrown = error;
    }
    const named = thrown instanceof TypeError || isPlatformError(thrown);
    expect(named, `${option} accepts ${kind}, or fails with another error: ${String(thrown)}`).toBe(true);
    const { message }: { message: string } = Object(thrown);
    expect(message, `${option}: ${kind}`).toContain(option);
  }
  // The timers of calls that were made, and unhandled rejections, are reported before this turn of the event loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
}

const apply = (target: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(target, undefined, args);

describe.each(entries)("$entry names each option that has the wrong type", ({ createPlatformClient }) => {
  const { options } = createFakePlatform();
  const create = (option: string) => (value: unknown) => apply(createPlatformClient, { ...options, [option]: value });
  const client = createPlatformClient(options);
  const call = (option: string) => (value: unknown) =>
    apply(client.identityGateway.exchangeMcpOauthDeviceAuthorization, { deviceCode: "pdc_1" }, { [option]: value });
  const wait = (option: string) => (value: unknown) =>
    apply(waitForDeviceAuthorization, client, "pdc_1", { pollNow: true, [option]: value });
  const started = (option: string) => (value: unknown) =>
    apply(waitForDeviceAuthorization, client, { deviceCode: "pdc_1", [option]: value }, { pollNow: true });

  it.each<Case>([
    { option: "options", call: (value) => apply(createPlatformClient, value), allowed: right.object },
    { option: "options", call: (value) => apply(client.withOptions, value), allowed: right.object },
    { option: "baseUrl", call: create("baseUrl") },
    { option: "token", call: create("token"), allowed: ["a text", "a function"] },
    { option: "timeoutMs", call: create("timeoutMs") },
    { option: "retry", call: create("retry"), allowed: right.object.slice(1, 4) },
    { option: "retry.maxAttempts", call: (value) => create("retry")({ maxAttempts: value }) },
    { option: "retry.attemptTimeoutMs", call: (value) => create("retry")({ attemptTimeoutMs: value }) },
    { option: "hooks", call: create("hooks"), allowed: right.object.slice(0, 4) },
    { option: "hooks", call: (value) => create("hooks")({ onRetry: value }), allowed: right.function },
    { option: "logger", call: create("logger") },
    { option: "logLevel", call: create("logLevel") },
    { option: "userAgent", call: create("userAgent"), allowed: right.text },
    { option: "clock", call: create("clock") },
    { option: "fetch", call: create("fetch"), allowed: right.function },
  ])("$option of a client", expectNamed);

  it.each<Case>([
    { option: "options", call: (value) => apply(client.vault.deleteItem, item, value), allowed: right.options },
    { option: "signal", call: call("signal") },
    { option: "timeoutMs", call: call("timeoutMs"), allowed: right.number },
    { option: "retry", call: call("retry"), allowed: right.object.slice(1, 4) },
    { option: "headers", call: call("headers"), allowed: right.object },
    { option: "idempotencyKey", call: call("idempotencyKey"), allowed: right.text },
  ])("$option of a call", expectNamed);

  it.each<Case>([
    { option: "client", call: (value) => apply(waitForDeviceAuthorization, value, "pdc_1") },
    { option: "signal", call: wait("signal") },
    { option: "onStatus", call: wait("onStatus"), allowed: right.function },
    { option: "pollNow", call: wait("pollNow"), allowed: right.boolean },
    { option: "idempotencyKey", call: wait("idempotencyKey"), allowed: right.text },
    { option: "deviceCode", call: started("deviceCode"), allowed: right.text },
    { option: "intervalSeconds", call: started("intervalSeconds"), allowed: right.number },
    { option: "expiresInSeconds", call: started("expiresInSeconds"), allowed: right.number },
  ])("$option of a wait", expectNamed);

  it("a signal of the wrong type does not end the process when the deadline passes", async () => {
    const fetch = () => new Promise<never>(() => undefined);
    const waiting = createPlatformClient({
      baseUrl: "https://api.example.com",
      token: "token-1",
      fetch,
      timeoutMs: 20,
    });
    vi.useFakeTimers();
    const rejected = expect(apply(waiting.vault.deleteItem, item, { signal: new AbortController() })).rejects.toThrow(
      "signal is an AbortController: pass controller.signal",
    );
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await rejected;
    expect(unhandled).toEqual([]);
  });
});

describe("the other entries name each option that has the wrong type", () => {
  const { options } = createFakePlatform();
  const transport = (option: string) => (value: unknown) =>
    apply(createPlatformTransport, { ...options, [option]: value });
  it.each<Case>([
    { option: "interceptors", call: transport("interceptors") },
    { option: "transport", call: (value) => apply(createPlatformTransport, { token: "token-1", transport: value }) },
    { option: "options", call: (value) => apply(createPlatformTransport, value), allowed: right.object },
  ])("$option of a transport", expectNamed);

  const all = {
    issuer: "https://accounts.example",
    resource: "https://api.example",
    clientId: "cli",
    store: createMemorySessionStore(),
  };
  const session = (option: string) => (value: unknown) => apply(createDeviceSession, { ...all, [option]: value });
  const login = (option: string) => (value: unknown) =>
    createDeviceSession(all).logIn(Object({ onPrompt: () => undefined, [option]: value }));
  const browserLogin = (option: string) => (value: unknown) =>
    createBrowserSession(all).logIn(Object({ onPrompt: () => undefined, [option]: value }));
  it.each<Case>([
    { option: "issuer", call: session("issuer") },
    { option: "resource", call: session("resource") },
    { option: "clientId", call: session("clientId"), allowed: ["a text"] },
    { option: "store", call: session("store") },
    { option: "scopes", call: session("scopes") },
    { option: "onEvent", call: session("onEvent"), allowed: right.function },
    { option: "clock", call: session("clock") },
    { option: "fetch", call: session("fetch"), allowed: right.function },
    { option: "onPrompt", call: login("onPrompt"), allowed: right.function },
    { option: "onStatus", call: login("onStatus"), allowed: right.function },
    { option: "signal", call: login("signal") },
    { option: "onPrompt", call: browserLogin("onPrompt"), allowed: right.function },
    { option: "signal", call: browserLogin("signal") },
    { option: "signal", call: (value) => createDeviceSession(all).token(Object({ signal: value })) },
    { option: "path", call: (value) => apply(createFileSessionStore, value), allowed: ["a text"] },
  ])("$option of a session", expectNamed);

  it.each<Case>([
    { option: "options", call: (value) => apply(createUndiciFetch, value), allowed: right.object },
    { option: "dispatcher", call: (value) => apply(createUndiciFetch, { dispatcher: value }) },
    { option: "options", call: (value) => apply(openTelemetry, value), allowed: [...right.object, "a promise"] },
    { option: "baseUrl", call: (value) => apply(openTelemetry, { baseUrl: value }) },
  ])("$option of /undici and /otel", expectNamed);

  it.each<Case>([
    { option: "alg", call: (value) => apply(createProofKey, { alg: value }) },
    { option: "keyPair", call: (value) => apply(restoreProofKey, value) },
    { option: "JWK", call: (value) => apply(thumbprint, value) },
  ])("$option of /pop", expectNamed);
});
