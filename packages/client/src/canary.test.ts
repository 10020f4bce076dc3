import { inspect } from "node:util";
import { expect, it, vi } from "vitest";
import { entries, waitForDeviceAuthorization } from "./fixtures/entries.js";
import { recordTelemetry } from "./fixtures/telemetry.js";
import type { Hooks } from "./options/hooks.js";
import { openTelemetry } from "./otel/index.js";
import { createFakePlatform } from "./testing/index.js";

const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

it.each(entries)("SPEC section 5.3: no log, error, hook, span or URL of $entry contains a secret", async (entry) => {
  const { spans, metrics } = recordTelemetry();
  const observed: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((...written) => observed.push(written) > 0);
  }
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...logged) => void observed.push(logged));
  }

  const platform = createFakePlatform();
  const secrets = new Set<string>(["canary-idempotency-key"]);
  const tracing = openTelemetry({ baseUrl: platform.options.baseUrl });
  const noting =
    (name: keyof Hooks) =>
    (...seen: unknown[]) => {
      observed.push([name, ...seen]);
      Reflect.apply(tracing[name] ?? (() => undefined), tracing, seen);
    };
  const client = entry.createPlatformClient({
    ...platform.options,
    retry: { maxAttempts: 2 },
    token: () => {
      const token = platform.options.token();
      secrets.add(token.accessToken);
      return token;
    },
    fetch: (input, init) => {
      observed.push(String(input));
      return platform.options.fetch(input, init);
    },
    hooks: {
      onStart: noting("onStart"),
      onRequest: noting("onRequest"),
      onResponse: noting("onResponse"),
      onRetry: noting("onRetry"),
      onEnd: noting("onEnd"),
      onTokenRefresh: noting("onTokenRefresh"),
    },
  });
  const { deleteItem } = client.vault;
  const { exchangeMcpOauthDeviceAuthorization: exchange } = client.identityGateway;
  const start = (terms = {}) => {
    const started = platform.startDevice(terms);
    secrets.add(started.deviceCode);
    return started;
  };
  const onStatus = (status: unknown) => void observed.push(status);
  const idempotencyKey = "canary-idempotency-key";

  platform.putItem(item);
  platform.failNext("unavailable");
  await deleteItem(item);
  platform.expireToken();
  const { deviceCode } = start();
  const approve = (status: unknown) => {
    observed.push(status);
    platform.approveDevice(deviceCode);
  };
  const session = await waitForDeviceAuthorization(client, deviceCode, { onStatus: approve });
  for (const token of [session.token, session.brokerToken.accessToken]) secrets.add(token.reveal());
  const denied = start().deviceCode;
  platform.denyDevice(denied);

  const failing: (() => Promise<unknown>)[] = [
    () => exchange({ deviceCode }, { idempotencyKey }),
    () => exchange({ deviceCode: `${deviceCode}x` }),
    () => waitForDeviceAuthorization(client, denied, { onStatus }),
    () => waitForDeviceAuthorization(client, start({ expiresInSeconds: 20 }), { onStatus }),
    () => waitForDeviceAuthorization(client, start(), { signal: AbortSignal.abort() }),
    () => deleteItem({ ...item, itemId: "none" }),
    () => deleteItem({ ...item, baseVersion: 9 }, { timeoutMs: 0 }),
    () => Reflect.apply(exchange, undefined, [{ deviceCode: [deviceCode] }]),
    () => exchange({ deviceCode }, { idempotencyKey: `${deviceCode} has a space` }),
    async () => {
      platform.failNext("internal");
      await exchange({ deviceCode });
    },
    async () => {
      platform.loseNextAnswer();
      platform.failNext("unavailable", { times: 2 });
      await exchange({ deviceCode }, { idempotencyKey });
    },
  ];
  for (const fail of failing) {
    const error: unknown = await fail().then(
      () => expect.unreachable("the call resolved"),
      (thrown: unknown) => thrown,
    );
    observed.push(error, JSON.stringify(error), String(error), error instanceof Error && error.stack);
  }
  observed.push(spans(), await metrics(), session);
  vi.restoreAllMocks();

  const printed = inspect(observed, {
    depth: null,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  expect(spans().length).toBeGreaterThan(20);
  expect(secrets.size).toBeGreaterThan(7);
  for (const secret of secrets) expect(printed.includes(secret)).toBe(false);
});
