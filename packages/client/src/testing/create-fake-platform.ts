import type { JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { createFetchHandler, type UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import { ofType, requireOptions } from "@platform-rpc/options";
import { IdentityGatewayService, VaultService } from "@platform-rpc/types";
import type { StartedDeviceAuthorization } from "../device/device-session.js";
import { createFakeClock, type FakeClock, type FakeClockOptions } from "./fake-clock.js";
import { createFakeDeviceAuthorizations } from "./fake-device-authorizations.js";
import { codes, type Failure, reasonOf, refuse, refuseInvalid } from "./fake-failures.js";
import { createFakeVaults, type FakeItem } from "./fake-vaults.js";
import { createMemoryStorage } from "./server-rules.js";
import { keyViolations, mistypedFields, violationsOf } from "./validate.js";

const tokenLifeMs = 900_000;

/** A request that the fake platform received. */
export interface FakeCall {
  /** The name of the method: `DeleteItem`. */
  readonly operation: string;
  readonly requestId: string;
  /** The JSON body. */
  readonly body: unknown;
}

/** A platform for tests: it opens no sockets and runs on a clock that the test controls. */
export interface FakePlatform {
  /**
   * The client options, for either entry: `createPlatformClient(platform.options)`. The token provider returns tokens that are
   * valid for 15 minutes. Waits take no real time, unless you created the platform with `autoAdvance: false`.
   */
  readonly options: {
    readonly baseUrl: string;
    /** Calls the fake platform for any host. */
    readonly fetch: typeof globalThis.fetch;
    /** Returns a new token each time. */
    readonly token: () => { readonly accessToken: string; readonly expiresAt: Date };
    readonly clock: FakeClock;
  };
  readonly clock: FakeClock;
  /** The requests received so far, one for each attempt. */
  readonly calls: readonly FakeCall[];
  /** Adds an item that is not deleted. Creates the vault if it does not exist. */
  putItem(item: FakeItem): void;
  /** Starts a device authorization. Default: a polling interval of 5 seconds, expiry after 600 seconds. */
  startDevice(terms?: { intervalSeconds?: number; expiresInSeconds?: number }): Required<StartedDeviceAuthorization>;
  /** Approves a device authorization as the user. Default: the one started last. @throws RangeError if it was denied or has expired */
  approveDevice(deviceCode?: string): void;
  /** Denies a device authorization as the user. Default: the one started last. @throws RangeError if it was approved or has expired */
  denyDevice(deviceCode?: string): void;
  /** Expires all tokens issued so far, including those of devices. */
  expireToken(): void;
  /** Makes the next call, or the next `times` calls, fail with a reason or code, without effect. `retryAfter` is in seconds. */
  failNext(failure: Failure, how?: { readonly retryAfter?: number; readonly times?: number }): void;
  /** Drops the next response: the call takes effect, but the client gets a network error. */
  loseNextAnswer(): void;
  /** Changes the item just before the next deletion, as a concurrent writer would. */
  conflictNext(): void;
  /**
   * Limits how many items may be deleted, as a person who approves software can. Further deletions fail with `DELEGATION_EXHAUSTED`. To
   * allow more, call it again with a larger number: the items that were deleted since the first call count.
   */
  limitDeletions(most: number): void;
}

/**
 * Creates a fake platform. It uses the contract's messages, and decides with the rules of the real platform.
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
  requireOptions("createFakePlatform", options, { autoAdvance: ofType("boolean") });
  const storage = createMemoryStorage();
  const clock = createFakeClock(options);
  const vaults = createFakeVaults(storage, clock);
  const devices = createFakeDeviceAuthorizations(storage, clock);
  const calls: FakeCall[] = [];
  const planned: ((requestId: string) => ConnectError)[] = [];
  /** When each issued token expires. */
  const accepted = new Map<string, number>();
  let tokens = 0;
  let conflict = false;
  let loseAnswer = false;

  const admit = ({
    requestHeader,
    responseHeader,
  }: Pick<HandlerContext, "requestHeader" | "responseHeader">): string => {
    const requestId = requestHeader.get("X-Request-Id") ?? "fake-request";
    responseHeader.set("X-Request-Id", requestId);
    const token = requestHeader.get("Authorization")?.replace(/^Bearer /, "") ?? "";
    if (clock.now() >= (accepted.get(token) ?? 0)) throw refuse("UNAUTHENTICATED", { requestId });
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
      const response = devices.exchange(request.deviceCode, key ?? undefined, requestId);
      const { expiresAt } = response.brokerToken ?? {};
      if (expiresAt !== undefined) accepted.set(response.accessToken, timestampMs(expiresAt));
      return response;
    },
  });
  const handlers = new Map(router.handlers.map((one) => [one.requestPath, one]));

  const answerTo = async (request: Request, handler: UniversalHandler, body: JsonValue): Promise<Response> => {
    const violations = mistypedFields(handler.method.input, body);
    if (violations.length === 0) return createFetchHandler(handler)(request);
    // Connect would reject such a body with another error, before a handler runs.
    const header = new Headers({ "Content-Type": "application/json" });
    try {
      const requestId = admit({ requestHeader: request.headers, responseHeader: header });
      throw refuse("INVALID_FIELD", { requestId, violations });
    } catch (thrown) {
      return errorResponse(ConnectError.from(thrown), header);
    }
  };
  const unknownOperation = ({ url }: Request, requestId: string): ConnectError => {
    const path = new URL(url).pathname;
    const text = `The fake platform has no operation at ${path}, only ${[...handlers.keys()].join(" and ")}.`;
    return refuse("OPERATION_UNKNOWN", { requestId, text });
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const handler = handlers.get(new URL(request.url).pathname);
    const requestId = request.headers.get("X-Request-Id") ?? "";
    if (handler === undefined) return errorResponse(unknownOperation(request, requestId));
    const body: JsonValue = await request.clone().json();
    calls.push({ operation: request.url.split("/").at(-1) ?? "", requestId, body });
    const answer = await answerTo(request, handler, body);
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
    approveDevice: (deviceCode) => devices.answer(deviceCode, "approved"),
    denyDevice: (deviceCode) => devices.answer(deviceCode, "denied"),
    expireToken() {
      accepted.clear();
    },
    failNext(failure, how = {}) {
      requireOptions("failNext", how, { retryAfter: ofType("number"), times: ofType("number") });
      const { retryAfter, times = 1 } = how;
      const reason = typeof failure === "string" ? reasonOf(failure) : failure;
      if (typeof reason !== "string" || !Object.hasOwn(codes, reason))
        throw new TypeError(
          `failNext: failure must be one of ${Object.keys(codes).join(", ")}, or one of their common codes.`,
        );
      const fail = (requestId: string) => refuse(reason, { requestId, retryAfter });
      planned.push(...Array.from({ length: times }, () => fail));
    },
    loseNextAnswer() {
      loseAnswer = true;
    },
    conflictNext() {
      conflict = true;
    },
    limitDeletions(most) {
      requireOptions("limitDeletions", { most }, { most: ofType("number") });
      vaults.limitDeletions(most);
    },
  };
}

/** Returns the response with the body of an error (SPEC section 7). */
function errorResponse(error: ConnectError, headers = new Headers({ "Content-Type": "application/json" })): Response {
  for (const [name, value] of error.metadata) headers.set(name, value);
  const status = error.code === Code.Unimplemented ? 404 : codeToHttpStatus(error.code);
  return new Response(JSON.stringify(errorToJson(error, undefined)), { status, headers });
}
