import {
  approve,
  type DeviceCall,
  type DeviceCase,
  type DeviceEvent,
  type DeviceGiven,
  type DeviceOutcome,
  deleteScope,
  deny,
  expire,
  keyId,
  otherKeyId,
  poll,
} from "./device-case.js";

type Redeem = Omit<Extract<DeviceCall, { operation: "Exchange" | "Redeem" }>, "operation">;

const after = (...history: readonly DeviceEvent[]): DeviceGiven => ({ history });
const granted = { status: "approved", scopes: [deleteScope] } as const;
const consumedBefore = { reason: "DEVICE_CODE_CONSUMED" } as const;
const invalid = { reason: "DEVICE_CODE_INVALID" } as const;
const first = { key: "first" } as const;
const inactive = { approver: "inactive" } as const;
const proved = { ...first, proof: otherKeyId };
const used = { operation: "Redeem", ...first } as const;
const foreign = { operation: "Exchange", by: "another client" } as const;

const redeem = (title: string, given: DeviceGiven, call: Redeem, outcome: DeviceOutcome): DeviceCase => ({
  section: "RFC 9449 section 5",
  title,
  given,
  call: { operation: "Redeem", ...call },
  outcome,
});
const bound = { popKeyId: keyId, history: [approve] } as const;
const keyRequired = { reason: "PROOF_KEY_REQUIRED" } as const;

/** The exchange of the OAuth listener, for a caller that may have a proof of a key. */
export const redeemDeviceCodeCases: readonly DeviceCase[] = [
  redeem("a bound code, without a proof", bound, {}, keyRequired),
  redeem("a bound code, with a proof of another key", bound, { proof: otherKeyId }, keyRequired),
  redeem(
    "a bound code, with a proof of its key",
    bound,
    { proof: keyId },
    {
      ...granted,
      popKeyId: keyId,
    },
  ),
  redeem(
    "a code without a key, with a proof",
    after(approve),
    { proof: otherKeyId },
    {
      ...granted,
      popKeyId: otherKeyId,
    },
  ),
  redeem("a code without a key, without a proof", after(approve), {}, granted),
  redeem("a bound code, by another client without a proof", bound, { by: "another client" }, invalid),
  redeem("an unknown code", {}, { code: "unknown" }, invalid),
  redeem("a pending code", {}, {}, { status: "authorization_pending", expiresInSeconds: 600, intervalSeconds: 5 }),
  redeem(
    "a poll that comes too early",
    after(poll),
    {},
    { status: "slow_down", expiresInSeconds: 600, intervalSeconds: 10 },
  ),
  redeem("an expired code", after(expire), {}, { status: "expired_token" }),
  redeem(
    "a used code, by another client",
    after(approve, used),
    { by: "another client" },
    {
      ...invalid,
      revokes: "the grant and its family",
    },
  ),
  redeem("a denied code", after(deny), {}, { status: "access_denied", because: "denied" }),
  redeem("an inactive approver", after(approve, inactive), {}, { reason: "PRINCIPAL_DISABLED" }),
  redeem("a retry", after(approve, used), first, { status: "approved", replayed: true }),
  redeem("a retry, with a proof of the same key", after(approve, { ...used, proof: otherKeyId }), proved, {
    status: "approved",
    replayed: true,
  }),
  redeem("a code that another client has sent again", after(approve, used, foreign), first, consumedBefore),
];
