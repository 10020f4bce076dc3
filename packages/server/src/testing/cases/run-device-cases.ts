import { describe, expect, it } from "vitest";
import type { AuditRow } from "../../domain/model/audit-seal.js";
import { type DeviceAuthorization, deviceAuthorizations } from "../../domain/model/device-authorization.js";
import { revocations } from "../../domain/model/grant.js";
import type { Storage } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { readValue, storeValue } from "../storage-suite/values.js";
import {
  type DeviceCall,
  type DeviceCase,
  type DeviceEvent,
  type DeviceOutcome,
  deleteOperation,
  deleteScope,
  exchangeOperation,
  isExchange,
} from "./device-case.js";
import { type DeviceCallers, effectOf } from "./device-effects.js";

/** What a call returned, in the same form for every way in. */
export type DeviceAnswer =
  | {
      readonly status: "approved";
      /** Equal for equal tokens only. */
      readonly tokens: string;
      readonly scopes: readonly string[];
      readonly principalId: string;
      readonly popKeyId: string;
      /** Seconds since the epoch. */
      readonly issuedAt: number;
      readonly expiresAt: number;
    }
  | Exclude<DeviceOutcome, { readonly status: "approved" } | { readonly reason: string } | { readonly shown: string }>
  | { readonly reason: string }
  /** With the fields that the way in shows. */
  | { readonly shown: string; readonly authorization: Partial<DeviceAuthorization>; readonly clientName: string };

/** The codes of a device authorization. */
export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  /** As stored. */
  readonly deviceCodeHash: string;
}

/** The clock of a way in, in milliseconds. */
export interface DriverClock {
  /** Returns the time since the epoch. */
  now(): number;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the wall clock ahead, or back. */
  step(ms: number): void;
}

/** One way to make the calls: the rules themselves, a storage, a listener. */
export interface DeviceDriver extends DeviceCallers {
  readonly clock: DriverClock;
  /** Where the calls have their effects. */
  readonly storage: Pick<Storage, "transact" | "readRecords" | "listAudit">;
  /** Creates the approver and the OAuth client of the authorizations, named "Agent", or replaces them. */
  setUp(settings: {
    readonly approverActive: boolean;
    readonly allowedOperations: readonly string[];
    readonly enabled: boolean;
  }): Promise<void>;
  /** Starts a device authorization. */
  start(scopes: readonly string[], popKeyId: string): Promise<DeviceCodes>;
  /** Makes a call about a device authorization. */
  call(codes: DeviceCodes, call: DeviceCall): Promise<DeviceAnswer>;
  /** Returns the error that a way in with its own errors returns instead of a reason, and of any other status than `approved`. */
  readonly errorOf?: (reason: string, proof: string) => string;
}

/** Which cases a way in runs. Default: every case. */
export interface DeviceDriverScope {
  /** False: the listener rejects a disabled OAuth client before the rules do. */
  readonly disabledClients?: boolean;
  /** False: tokens and keys depend on the clock, too. */
  readonly stepsBack?: boolean;
  /** False: it generates the user codes. */
  readonly userCodes?: boolean;
  /** False: it serves one tenant. */
  readonly tenants?: boolean;
  /** False: an approval needs a scope. */
  readonly emptyApprovals?: boolean;
  /** For another way to the same rules: one case of each outcome shows that it passes requests and responses on. */
  readonly outcomes?: "one of each";
}

/** Selects the cases that a driver can run. */
function deviceCasesFor(cases: readonly DeviceCase[], scope: DeviceDriverScope): readonly DeviceCase[] {
  const possible = cases.filter(({ given: { history = [] }, call }) => {
    const calls = [...history, call].filter((event) => typeof event === "object" && "operation" in event);
    if (scope.disabledClients === false && call.operation === "Exchange" && history.includes("the client is disabled"))
      return false;
    if (scope.stepsBack === false && history.some((event) => typeof event === "object" && "stepBackMs" in event))
      return false;
    if (scope.tenants === false && calls.some((each) => "by" in each && each.by === "another tenant")) return false;
    if (
      scope.emptyApprovals === false &&
      calls.some((each) => each.operation === "Approve" && each.scopes?.length === 0)
    )
      return false;
    return scope.userCodes !== false || call.operation !== "Start" || call.with !== "the same user code";
  });
  if (scope.outcomes === undefined) return possible;
  return [...new Map(possible.map((each) => [`${each.call.operation} ${nameOf(each.outcome)}`, each])).values()];
}

function nameOf(outcome: DeviceOutcome): string {
  if ("reason" in outcome) return outcome.reason;
  if ("answered" in outcome) return outcome.answered;
  if ("shown" in outcome) return outcome.shown;
  if ("started" in outcome) return "started";
  if ("because" in outcome) return outcome.because;
  return "replayed" in outcome ? "replayed" : outcome.status;
}

/** Defines a test for each case. */
export function describeDeviceCases(
  name: string,
  cases: readonly DeviceCase[],
  scope: DeviceDriverScope,
  open: () => DeviceDriver,
): void {
  describe(name, () => {
    it.each(deviceCasesFor(cases, scope))("$call.operation, $title ($section)", (each) => runDeviceCase(open(), each));
  });
}

/** Runs one case on a new authorization, so that one driver can serve all of them. @throws an error of `expect` */
export async function runDeviceCase(driver: DeviceDriver, { given, call, outcome }: DeviceCase): Promise<void> {
  const { scopes = [deleteScope], popKeyId = "", history = [] } = given;
  const { clock } = driver;
  const settings = { approverActive: true, allowedOperations: [deleteOperation, exchangeOperation], enabled: true };
  // No user code of another case is in use, and its wrong user codes no longer count.
  clock.advance(600_000);
  await driver.setUp(settings);
  const codes = await driver.start(scopes, popKeyId);
  const make = (each: DeviceCall) =>
    driver.call(codes, each.operation === "Approve" && each.scopes === undefined ? { ...each, scopes } : each);
  let granted: DeviceAnswer | undefined;
  for (const event of history) {
    if (typeof event === "object" && "operation" in event) {
      const answer = await make(event);
      if ("status" in answer && answer.status === "approved") granted ??= answer;
    } else await happen(driver, codes, event, settings);
  }
  const before = await findAuthorizationOf(driver, codes);
  const revoked = await isRevoked(driver, before);
  const [newest] = await readAudit(driver, 1);
  const now = clock.now();

  const answer = await make(call);

  const after = await findAuthorizationOf(driver, codes);
  const { errorOf = (reason: string) => reason } = driver;
  const { proof = "" } = isExchange(call) ? call : {};
  if ("shown" in outcome) {
    expect({ ...outcome, authorization: before, clientName: "Agent" }).toMatchObject(answer);
  } else if ("reason" in outcome) expect(answer).toEqual({ reason: errorOf(outcome.reason, proof) });
  else if (!("status" in outcome)) expect(answer).toEqual(outcome);
  else if (outcome.status !== "approved")
    expect(answer).toEqual(driver.errorOf ? { reason: errorOf(outcome.status, proof) } : outcome);
  else if ("replayed" in outcome) expect(answer).toEqual(granted);
  else {
    const issuedAt = Math.floor(now / 1000);
    const { principalId } = driver.approver;
    const grant = { popKeyId: "", ...outcome, principalId, issuedAt, expiresAt: issuedAt + 900 };
    expect(answer).toEqual({ ...grant, tokens: expect.any(String) });
  }

  const { changes, events } = effectOf(outcome, call);
  const change = changes && { revision: before.revision + 1, ...changes(driver, before, call, now) };
  expect(after).toEqual({ ...before, ...change });
  const caller = driver.callerOf(call);
  // Not those of the token that a listener needs for the call.
  const added = (await readAudit(driver, 5)).filter(
    ({ position, principalId }) => position > (newest?.position ?? 0) && principalId === caller.principalId,
  );
  expect(added.map(({ event }) => event).toReversed()).toEqual(events);
  for (const each of added) expect(each).toMatchObject({ ...caller, at: now });
  expect(await isRevoked(driver, after)).toBe(revoked || events.some((event) => event.startsWith("revoked")));
}

async function happen(
  driver: DeviceDriver,
  codes: DeviceCodes,
  event: Exclude<DeviceEvent, DeviceCall>,
  settings: { approverActive: boolean; allowedOperations: readonly string[]; enabled: boolean },
): Promise<void> {
  if (event === "the grant is revoked") {
    const { storage, clock, approver } = driver;
    const { grantId: subjectId = "" } = (await findAuthorizationOf(driver, codes)).consumption ?? {};
    const { tenantId, principalId } = approver;
    await storeValue(storage, revocations, {
      tenantId,
      principalId,
      subjectId,
      at: clock.now(),
      expiresAt: undefined,
    });
    return;
  }
  if (event === "the client is disabled") settings.enabled = false;
  else if ("passMs" in event) return driver.clock.advance(event.passMs);
  else if ("stepBackMs" in event) return driver.clock.step(-event.stepBackMs);
  else if ("approver" in event) settings.approverActive = event.approver === "active";
  else settings.allowedOperations = event.allowed;
  await driver.setUp(settings);
}

export async function findAuthorizationOf(
  { storage, approver }: DeviceDriver,
  { deviceCodeHash }: DeviceCodes,
): Promise<DeviceAuthorization> {
  const found = await readValue(storage, deviceAuthorizations, deviceCodeHash, approver.tenantId);
  return found ?? expect.unreachable("The authorization was not stored.");
}

/** Returns the newest rows of the audit trail. */
async function readAudit({ storage, approver }: DeviceDriver, limit: number): Promise<readonly AuditRow[]> {
  return (await storage.listAudit({ tenantId: approver.tenantId, limit })).rows;
}

/** Returns whether the tokens of a consumed code are revoked. */
export async function isRevoked(
  { storage, approver }: DeviceDriver,
  { consumption, oauthClientId }: DeviceAuthorization,
) {
  if (consumption === undefined) return false;
  const { grantId } = consumption;
  return (await readAccess(storage, { ...approver, oauthClientId, tokenId: "any", grantId })).revoked;
}
