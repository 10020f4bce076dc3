import { Code, type ConnectError, createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { createFetchHandler } from "@connectrpc/connect/protocol";
import { IdentityGatewayService, VaultService } from "@platform-rpc/types";
import type { StartedDeviceAuthorization } from "../device/device-session.js";
import { createFakeClock, type FakeClock, type FakeClockOptions } from "./fake-clock.js";
import { createFakeDeviceAuthorizations } from "./fake-device-authorizations.js";
import { codes, type Failure, reasonOf } from "./fake-failures.js";
import { createFakeVaults, type FakeItem } from "./fake-vaults.js";
import { refuse, refuseInvalid } from "./refuse.js";
import { keyViolations, violationsOf } from "./validate.js";

const tokenLifeMs = 900_000;

/** A request that arrived. */
export interface FakeCall {
  /** By its method: `DeleteItem`. */
  readonly operation: string;
  readonly requestId: string;
  /** The JSON that was sent. */
  readonly body: unknown;
}

/** A platform for tests: without sockets, on a clock that the test controls. */
export interface FakePlatform {
  /**
   * For either entry: `createPlatformClient(platform.options)`. Its token provider returns tokens of 15 minutes; with its clock,
   * waits take no real time, unless the platform was created with `autoAdvance: false`.
   */
  readonly options: {
    readonly baseUrl: string;
    /** Calls the fake platform, whatever the host. */
    readonly fetch: typeof globalThis.fetch;
    /** A new token each time. */
    readonly token: () => { readonly accessToken: string; readonly expiresAt: Date };
    readonly clock: FakeClock;
  };
  readonly clock: FakeClock;
  /** The requests that arrived, one for each attempt. */
  readonly calls: readonly FakeCall[];
  /** Puts a live item into a vault, and creates the vault if there is none. */
  putItem(item: FakeItem): void;
  /** Starts a device authorization. Default: an interval of 5 seconds, and 600 to its expiry. */
  startDevice(terms?: { intervalSeconds?: number; expiresInSeconds?: number }): Required<StartedDeviceAuthorization>;
  /** The user approves. Default: the authorization that was started last. */
  approveDevice(deviceCode?: string): void;
  /** The user denies. */
  denyDevice(deviceCode?: string): void;
  /** Rejects all tokens that were issued so far, also those of devices. */
  expireToken(): void;
  /** The next call, or the next `times`, fails with a reason or code, before it does anything. `retryAfter` in seconds. */
  failNext(failure: Failure, how?: { readonly retryAfter?: number; readonly times?: number }): void;
  /** The next call takes effect, but its answer is lost. */
  loseNextAnswer(): void;
  /** Somebody else changes the item of the next deletion just before it. */
  conflictNext(): void;
}

/**
 * Creates a fake platform on the real contract: its messages come from the descriptors, its rules from the specification.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client";
 * import { createFakePlatform } from "@platform-rpc/client/testing";
 *
 * const platform = createFakePlatform();
 * platform.putItem({ vaultId: "personal", itemId: "item-1" });
 * platform.failNext("unavailable", { retryAfter: 2 });
 *
 * const client = createPlatformClient(platform.options);
 * const { item } = await client.vault.deleteItem({ vaultId: "personal", itemId: "item-1", baseVersion: 1 });
 * console.log(item.version, platform.calls.length);
 * // 2 2
 * ```
 */
export function createFakePlatform(options: FakeClockOptions = {}): FakePlatform {
  const clock = createFakeClock(options);
  const vaults = createFakeVaults(clock);
  const devices = createFakeDeviceAuthorizations(clock);
  const calls: FakeCall[] = [];
  const planned: ((requestId: string) => ConnectError)[] = [];
  /** When each issued token expires. */
  const accepted = new Map<string, number>();
  let tokens = 0;
  let conflict = false;
  let loseAnswer = false;

  const admit = ({ requestHeader, responseHeader }: HandlerContext): string => {
    const requestId = requestHeader.get("X-Request-Id") ?? "fake-request";
    responseHeader.set("X-Request-Id", requestId);
    const token = requestHeader.get("Authorization")?.replace(/^Bearer /, "") ?? "";
    if (clock.now() >= (accepted.get(token) ?? 0)) throw refuse(Code.Unauthenticated, "UNAUTHENTICATED", { requestId });
    const failure = planned.shift();
    if (failure !== undefined) throw failure(requestId);
    return requestId;
  };

  const router = createConnectRouter({ grpc: false, grpcWeb: false, jsonOptions: { alwaysEmitImplicit: true } });
  router.service(VaultService, {
    deleteItem(request, context) {
      const requestId = admit(context);
      refuseInvalid(violationsOf(request), requestId);
      if (conflict) vaults.touch(request);
      conflict = false;
      return vaults.deleteItem(request, requestId);
    },
  });
  router.service(IdentityGatewayService, {
    exchangeMcpOauthDeviceAuthorization(request, context) {
      const requestId = admit(context);
      const key = context.requestHeader.get("Idempotency-Key");
      refuseInvalid([...violationsOf(request), ...keyViolations(key)], requestId);
      const answer = devices.exchange(request.deviceCode, key ?? "", requestId);
      if (answer.accessToken) accepted.set(answer.accessToken, clock.now() + tokenLifeMs);
      return answer;
    },
  });
  const handlers = new Map(router.handlers.map((one) => [one.requestPath, createFetchHandler(one)]));

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const handler = handlers.get(new URL(request.url).pathname);
    if (handler === undefined) return new Response(null, { status: 404 });
    const requestId = request.headers.get("X-Request-Id") ?? "";
    calls.push({ operation: request.url.split("/").at(-1) ?? "", requestId, body: await request.clone().json() });
    const answer = await handler(request);
    if (!loseAnswer) return answer;
    loseAnswer = false;
    throw new TypeError("fetch failed");
  };

  return {
    clock,
    calls,
    options: {
      baseUrl: "https://platform.test",
      fetch,
      clock,
      token: () => {
        tokens += 1;
        const accessToken = `fake-token-${tokens}`;
        const endsAt = clock.now() + tokenLifeMs;
        accepted.set(accessToken, endsAt);
        return { accessToken, expiresAt: new Date(endsAt) };
      },
    },
    putItem: vaults.put,
    startDevice: devices.start,
    approveDevice: (deviceCode) => devices.decide(deviceCode, "approved"),
    denyDevice: (deviceCode) => devices.decide(deviceCode, "denied"),
    expireToken() {
      accepted.clear();
    },
    failNext(failure, { retryAfter, times = 1 } = {}) {
      const reason = reasonOf(failure);
      const fail = (requestId: string) => refuse(codes[reason], reason, { requestId, retryAfter });
      planned.push(...Array.from({ length: times }, () => fail));
    },
    loseNextAnswer() {
      loseAnswer = true;
    },
    conflictNext() {
      conflict = true;
    },
  };
}
