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
  exchangeOperation,
  exchangeScope,
  expire,
  keyId,
  otherScope,
  pass,
  poll,
} from "./device-case.js";

type Exchange = Omit<Extract<DeviceCall, { operation: "Exchange" | "Redeem" }>, "operation">;

const row = (part: string, title: string, given: DeviceGiven, call: Exchange, outcome: DeviceOutcome): DeviceCase => ({
  section: `DECISIONS section 4, ${part}`,
  title,
  given,
  call: { operation: "Exchange", ...call },
  outcome,
});
const after = (...history: readonly DeviceEvent[]): DeviceGiven => ({ history });

const invalid = { reason: "DEVICE_CODE_INVALID" } as const;
const consumedBefore = { reason: "DEVICE_CODE_CONSUMED" } as const;
const disabled = { reason: "PRINCIPAL_DISABLED" } as const;
const expired = { status: "expired_token" } as const;
const denied = { status: "access_denied", because: "denied" } as const;
const alreadyBurned = { status: "access_denied", because: "burned" } as const;
const noScopes = { status: "access_denied", because: "no_scopes" } as const;
const replayed = { status: "approved", replayed: true } as const;
const granted = (...scopes: readonly string[]) => ({ status: "approved", scopes }) as const;
const pending = (expiresInSeconds: number, intervalSeconds: number) =>
  ({ status: "authorization_pending", expiresInSeconds, intervalSeconds }) as const;
const slowDown = (expiresInSeconds: number, intervalSeconds: number) =>
  ({ status: "slow_down", expiresInSeconds, intervalSeconds }) as const;

const both = [deleteScope, exchangeScope];
const sorted = [exchangeScope, deleteScope];
const bound = { popKeyId: keyId, history: [approve] };
const inactive = { approver: "inactive" } as const;
const foreign = { operation: "Exchange", by: "another client" } as const;
const revokesGrant = { ...invalid, revokes: "the grant" } as const;
const first = { key: "first" } as const;
const redeem = { operation: "Redeem" } as const;
const consumed = [approve, consume] as const;

const owners = [
  row("owner", "an unknown code", {}, { code: "unknown" }, invalid),
  ...(["another client", "another tenant"] as const).flatMap((by) => [
    row("owner", `a pending code, by ${by}`, {}, { by }, invalid),
    row("owner", `a consumed code, by ${by}`, after(...consumed), { by }, revokesGrant),
    row("owner", `a consumed code after its end, by ${by}`, after(...consumed, expire), { by }, revokesGrant),
  ]),
  row("owner", "a second foreign exchange", after(...consumed, foreign), foreign, invalid),
  row("owner", "a revoked grant, by another client", after(...consumed, "the grant is revoked"), foreign, invalid),
  row("owner", "a foreign exchange of a code that opened a family", after(approve, redeem), foreign, {
    ...invalid,
    revokes: "the grant and its family",
  }),
  row(
    "owner",
    "a foreign exchange of a revoked grant with a family",
    after(approve, redeem, "the grant is revoked"),
    foreign,
    { ...invalid, revokes: "the family" },
  ),
];

const finals = [
  row("consumed", "a second exchange", after(approve, poll), {}, consumedBefore),
  row("denied or burned", "a denied code", after(deny), {}, denied),
  row("denied or burned", "a denied code after its end", after(deny, expire), {}, denied),
  row("denied or burned", "a burned code", after(...burned), {}, alreadyBurned),
  row("expired", "a pending code", after(expire), {}, expired),
  row("expired", "a pending code that was approved too late", after(expire, approve), {}, expired),
  row("expired", "an approved code", after(approve, expire), {}, expired),
  row("expired", "an approved code in its last millisecond", after(approve, pass(599_999)), {}, granted(deleteScope)),
  row("expired", "an approved code, whose approver is inactive", after(approve, expire, inactive), {}, expired),
];

const redemptions = [
  row("redemption", "an approved code", after(approve), {}, granted(deleteScope)),
  row("redemption", "an approved code, with a key", after(approve), first, granted(deleteScope)),
  row("redemption", "a bound code", bound, {}, { ...granted(deleteScope), popKeyId: keyId }),
  row("scopes", "sorted and unique", { scopes: [...both, ...both], history: [approve] }, {}, granted(...sorted)),
  row(
    "scopes",
    "requested ∩ approved",
    { scopes: both, history: [{ ...approve, scopes: [deleteScope] }] },
    {},
    granted(deleteScope),
  ),
  row(
    "scopes",
    "approved ∩ allowed",
    { scopes: both, history: [approve, { allowed: [exchangeOperation] }] },
    {},
    granted(exchangeScope),
  ),
  row(
    "scopes",
    "a scope that no operation needs",
    { scopes: [...both, otherScope], history: [approve] },
    {},
    granted(...sorted),
  ),
  row("scopes", "none is allowed", after(approve, { allowed: [exchangeOperation] }), {}, noScopes),
  row("scopes", "the client is disabled", after(approve, "the client is disabled"), {}, noScopes),
  row("approver", "is inactive", after(approve, inactive), {}, disabled),
  row("approver", "before the scopes", after(approve, inactive, { allowed: [exchangeOperation] }), {}, disabled),
];

const replays = [
  row("replay", "at once", after(...consumed), first, replayed),
  row("replay", "within 60 s", after(...consumed, pass(59_999)), first, replayed),
  row("replay", "after 60 s", after(...consumed, pass(60_000)), first, consumedBefore),
  row("replay", "with another key", after(...consumed), { key: "second" }, consumedBefore),
  row("replay", "without a key", after(...consumed), {}, consumedBefore),
  row("replay", "of an exchange without a key", after(approve, poll), first, consumedBefore),
  row("replay", "by another principal", after(...consumed), { ...first, by: "another principal" }, consumedBefore),
  row("replay", "a revoked grant", after(...consumed, "the grant is revoked"), first, consumedBefore),
  row("replay", "after a foreign exchange", after(...consumed, foreign), first, consumedBefore),
  row(
    "replay",
    "an approver active again",
    after(...consumed, inactive, poll, { approver: "active" }),
    first,
    replayed,
  ),
  row("replay", "a narrowed allowlist", after(...consumed, { allowed: [exchangeOperation] }), first, consumedBefore),
  row(
    "replay",
    "an allowlist that covers the scopes of the grant",
    { scopes: both, history: [{ ...approve, scopes: [exchangeScope] }, consume, { allowed: [exchangeOperation] }] },
    first,
    replayed,
  ),
  row("replay", "a disabled client", after(...consumed, "the client is disabled"), first, consumedBefore),
];

/** Early polls until the interval is the longest. */
const raised = Array.from({ length: 12 }, () => poll);
const polls = [
  row("polling", "the first poll", {}, {}, pending(600, 5)),
  row("polling", "the last millisecond of the code", after(pass(599_999)), {}, pending(1, 5)),
  row("polling", "at once after a poll", after(poll), {}, slowDown(600, 10)),
  row("polling", "4.499 s after a poll", after(poll, pass(4_499)), {}, slowDown(596, 10)),
  row("polling", "4.5 s after a poll: 10 % tolerance", after(poll, pass(4_500)), {}, pending(596, 5)),
  row("polling", "a second early poll", after(poll, poll), {}, slowDown(600, 15)),
  row(
    "polling",
    "an early poll does not move the last accepted one",
    after(poll, pass(4_000), poll, pass(5_000)),
    {},
    pending(591, 10),
  ),
  row("polling", "the longest interval", after(...raised), {}, slowDown(600, 60)),
  row("polling", "beyond the longest interval", after(...raised, poll), {}, slowDown(600, 60)),
];

const back = (stepBackMs: number): DeviceEvent => ({ stepBackMs });
const stepsBack = [
  row("a clock set back", "5 s before the start", after(back(5_000)), {}, pending(605, 5)),
  row("a clock set back", "more than 5 s before the start", after(back(5_001)), {}, expired),
  row("a clock set back", "a replay, 4.999 s before", after(...consumed, back(4_999)), first, replayed),
  row("a clock set back", "a replay, 5 s before", after(...consumed, back(5_000)), first, consumedBefore),
  row("a clock set back", "a poll 4 s before the last", after(pass(9_000), poll, back(4_000)), {}, slowDown(595, 10)),
  row("a clock set back", "a poll 5 s before the last", after(pass(9_000), poll, back(5_000)), {}, pending(596, 5)),
];

/** DECISIONS section 4: the checks in the order owner, consumed, denied or burned, expired, approved, pending. */
export const exchangeDeviceCodeCases: readonly DeviceCase[] = [
  ...owners,
  ...finals,
  ...redemptions,
  ...replays,
  ...polls,
  ...stepsBack,
];
