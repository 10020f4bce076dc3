import { principals } from "../domain/access.js";
import {
  type AnswerDeviceAuthorizationOutcome,
  type Approver,
  answerDeviceAuthorization,
  type DeviceAuthorizationAnswer,
  type GetDeviceAuthorizationOutcome,
  getDeviceAuthorization,
} from "../domain/answer-device-authorization.js";
import { normalizeUserCode, userCodes } from "../domain/device-authorization.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { refOf, type Storage } from "../ports/storage.js";
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
  return async (input: UserCodeInput, { wanted }: Call): Promise<GetDeviceAuthorizationOutcome> => {
    const { approver, userCodeHash, ref } = read(deps, input);
    const rule = getDeviceAuthorization(userCodeHash, approver, deps.clock.now());
    return (await deps.storage.transact(ref, rule, { wanted })).outcome;
  };
}

/** Approves or denies a device authorization (RFC 8628 section 3.3). */
export function createAnswerDeviceAuthorization(deps: AnswerDeviceAuthorizationDeps) {
  return async (
    input: UserCodeInput,
    answer: DeviceAuthorizationAnswer,
    { actor, wanted }: Call,
  ): Promise<AnswerDeviceAuthorizationOutcome> => {
    const { approver, userCodeHash, ref } = read(deps, input);
    const rule = answerDeviceAuthorization(userCodeHash, approver, answer, actor, deps.clock.now());
    return (await deps.storage.transact(ref, rule, { wanted })).outcome;
  };
}

/** Returns the approver without the code, the hash of the code, and where both are stored. */
function read({ secrets }: AnswerDeviceAuthorizationDeps, { tenantId, principalId, userCode }: UserCodeInput) {
  const userCodeHash = secrets.hashUserCode(normalizeUserCode(userCode));
  const ref = refOf(userCodes.key(tenantId, userCodeHash), principals.key(tenantId, principalId));
  return { approver: { tenantId, principalId }, userCodeHash, ref };
}
