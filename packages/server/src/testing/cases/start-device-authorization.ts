import {
  approve,
  consume,
  type DeviceCall,
  type DeviceCase,
  type DeviceEvent,
  type DeviceOutcome,
  deleteScope,
  exchangeScope,
  expire,
  pass,
} from "./device-case.js";

type Start = Omit<Extract<DeviceCall, { operation: "Start" }>, "operation" | "scopes">;

const row = (
  title: string,
  history: readonly DeviceEvent[],
  call: Start & { readonly scopes?: readonly string[] },
  outcome: DeviceOutcome,
): DeviceCase => ({
  section: "DECISIONS section 4, RFC 8628 section 3.1",
  title,
  given: { history },
  call: { operation: "Start", scopes: [deleteScope], ...call },
  outcome,
});

const started = { started: [deleteScope] };
const taken = { reason: "USER_CODE_TAKEN" };
const notFound = { reason: "OAUTH_CLIENT_NOT_FOUND" };
const same = { with: "the same user code" } as const;

/** RFC 8628 section 3.1: the start of a device authorization. */
export const startDeviceAuthorizationCases: readonly DeviceCase[] = [
  row("a new authorization", [], {}, started),
  row(
    "scopes, sorted and unique",
    [],
    { scopes: [deleteScope, exchangeScope, deleteScope] },
    {
      started: [exchangeScope, deleteScope],
    },
  ),
  row("a disabled client", ["the client is disabled"], {}, notFound),
  row("an unknown client", [], { with: "an unknown client" }, notFound),
  row("the user code of a pending authorization", [], same, taken),
  row("the user code of a consumed authorization", [approve, consume], same, taken),
  row("the user code in the last millisecond", [pass(599_999)], same, taken),
  row("the user code of an expired authorization", [expire], same, started),
];
