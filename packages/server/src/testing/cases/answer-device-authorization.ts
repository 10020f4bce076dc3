import {
  approve,
  burned,
  consume,
  type DeviceCall,
  type DeviceCase,
  type DeviceEvent,
  type DeviceGiven,
  type DeviceOutcome,
  deleteScope,
  deny,
  exchangeScope,
  expire,
  pass,
} from "./device-case.js";

const answers = ["Approve", "Deny"] as const;
const operations = ["Get", ...answers] as const;

const row = (
  { operation, ...more }: Extract<DeviceCall, { operation: (typeof operations)[number] }>,
  title: string,
  given: DeviceGiven,
  outcome: DeviceOutcome,
): DeviceCase => ({
  section: operation === "Get" ? "INTERNAL, GetDeviceAuthorization" : `INTERNAL, ${operation}DeviceAuthorization`,
  title,
  given,
  call: { operation, ...more },
  outcome,
});
const after = (...history: readonly DeviceEvent[]): DeviceGiven => ({ history });

const both = { scopes: [deleteScope, exchangeScope] };
const invalid = { reason: "USER_CODE_INVALID" } as const;
const disabled = { reason: "PRINCIPAL_DISABLED" } as const;
const decided = { reason: "DEVICE_AUTHORIZATION_DECIDED" } as const;
const notRequested = { reason: "SCOPES_NOT_REQUESTED" } as const;
const answered = { Approve: "approved", Deny: "denied" } as const;
const approveWith = (scopes: readonly string[]) => ({ operation: "Approve", scopes }) as const;

/** INTERNAL: what a person sees of a device authorization, and the answer to it. */
export const answerDeviceAuthorizationCases: readonly DeviceCase[] = [
  ...operations.flatMap((operation) => [
    row({ operation, code: "unknown" }, "an unknown user code", {}, invalid),
    row({ operation, by: "another tenant" }, "a user code of another tenant", {}, invalid),
    row({ operation }, "an inactive principal", after({ approver: "inactive" }), disabled),
    row(
      { operation, code: "unknown" },
      "an inactive principal and an unknown user code",
      after({ approver: "inactive" }),
      disabled,
    ),
  ]),
  ...answers.flatMap((operation) => {
    const done = { answered: answered[operation], scopes: operation === "Deny" ? [] : [deleteScope] } as const;
    return [
      row({ operation }, "a pending authorization", {}, done),
      row({ operation }, "the last millisecond", after(pass(599_999)), done),
      row({ operation }, "after the end", after(expire), decided),
      row({ operation }, "an approved authorization", after(approve), decided),
      row({ operation }, "a consumed authorization", after(approve, consume), decided),
      row({ operation }, "a burned authorization", after(...burned), decided),
    ];
  }),

  row(approveWith([deleteScope]), "one of two scopes", both, { answered: "approved", scopes: [deleteScope] }),
  row(approveWith([deleteScope, exchangeScope, deleteScope]), "both scopes, sorted and unique", both, {
    answered: "approved",
    scopes: [exchangeScope, deleteScope],
  }),
  row(approveWith([]), "no scope", both, { answered: "approved", scopes: [] }),
  row(approveWith([deleteScope, "c"]), "a scope that was not requested", both, notRequested),
  row(approveWith(["c"]), "after the end, a scope that was not requested", after(expire), decided),

  row({ operation: "Get" }, "a pending authorization", {}, { shown: "pending" }),
  row({ operation: "Get" }, "the last millisecond", after(pass(599_999)), { shown: "pending" }),
  row({ operation: "Get" }, "a pending authorization after its end", after(expire), { shown: "expired" }),
  row({ operation: "Get" }, "an approved authorization", after(approve), { shown: "approved" }),
  row({ operation: "Get" }, "a denied authorization", after(deny, expire), { shown: "denied" }),
  row({ operation: "Get" }, "a consumed authorization", after(approve, consume, expire), { shown: "consumed" }),
  row({ operation: "Get" }, "a burned authorization", after(...burned, expire), { shown: "burned" }),
];
