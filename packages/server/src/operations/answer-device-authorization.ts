import {
  type AnswerDeviceAuthorizationOutcome,
  type Approver,
  answerDeviceAuthorization,
  type DeviceAuthorizationAnswer,
  type GetDeviceAuthorizationOutcome,
  getDeviceAuthorization,
} from "../domain/answer-device-authorization.js";
import { normalizeUserCode, type UserCodeSnapshot } from "../domain/device-authorization.js";
import type { BoundRule } from "../domain/rule.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** A user code and the signed-in user who entered it. */
export interface UserCodeInput extends Approver {
  /** The user code as the user typed it. */
  readonly userCode: string;
}

export interface AnswerDeviceAuthorizationDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** Reads a device authorization for the user who is asked to approve it. */
export function createGetDeviceAuthorization(deps: AnswerDeviceAuthorizationDeps) {
  return (input: UserCodeInput, call: Call): Promise<GetDeviceAuthorizationOutcome> =>
    byUserCode(deps, input, call, getDeviceAuthorization(approverOf(input), deps.clock.now()));
}

/** Approves or denies a device authorization (RFC 8628 section 3.3). */
export function createAnswerDeviceAuthorization(deps: AnswerDeviceAuthorizationDeps) {
  return (
    input: UserCodeInput,
    answer: DeviceAuthorizationAnswer,
    call: Call,
  ): Promise<AnswerDeviceAuthorizationOutcome> =>
    byUserCode(deps, input, call, answerDeviceAuthorization(approverOf(input), answer, call.actor, deps.clock.now()));
}

async function byUserCode<Outcome>(
  { storage, secrets }: AnswerDeviceAuthorizationDeps,
  { tenantId, principalId, userCode }: UserCodeInput,
  { wanted }: Call,
  rule: BoundRule<UserCodeSnapshot, Outcome>,
): Promise<Outcome> {
  const { outcome } = await storage.transact(
    { kind: "userCode", userCodeHash: secrets.hashUserCode(normalizeUserCode(userCode)), tenantId, principalId },
    rule,
    { wanted },
  );
  return outcome;
}

/** Returns the user without the code, which a rule does not need. */
function approverOf({ tenantId, principalId }: UserCodeInput): Approver {
  return { tenantId, principalId };
}
