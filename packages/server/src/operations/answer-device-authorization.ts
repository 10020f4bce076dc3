import {
  type AnswerDeviceAuthorizationOutcome,
  type Approver,
  type DeviceAuthorizationAnswer,
  decideAnswerDeviceAuthorization,
  decideGetDeviceAuthorization,
  type GetDeviceAuthorizationOutcome,
} from "../domain/answer-device-authorization.js";
import type { Decision } from "../domain/decision.js";
import { normalizeUserCode, type UserCodeSnapshot } from "../domain/device-authorization.js";
import type { Clock } from "../ports/clock.js";
import type { GuessLimiter } from "../ports/rate-limiter.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** A user code, and the signed-in user who typed it. */
export interface UserCodeInput extends Approver {
  /** As typed. */
  readonly userCode: string;
}

/** Wrong user codes in ten minutes after which nothing more is told, for a principal and for its tenant. */
export interface GuessLimits {
  readonly missesOfPrincipal: number;
  readonly missesOfTenant: number;
}

/** 5 misses of a principal, 50 of its tenant. */
export const defaultGuessLimits: GuessLimits = { missesOfPrincipal: 5, missesOfTenant: 50 };

export interface AnswerDeviceAuthorizationDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Undefined: guesses are not limited. */
  readonly guesses: GuessLimiter | undefined;
  readonly guessLimits?: GuessLimits;
}

/** Shows a device authorization to the user who is asked to approve it. */
export function createGetDeviceAuthorization(deps: AnswerDeviceAuthorizationDeps) {
  return (input: UserCodeInput, call: Call): Promise<GetDeviceAuthorizationOutcome> =>
    byUserCode(deps, input, call, (snapshot) => decideGetDeviceAuthorization(snapshot, input, deps.clock.now()));
}

/** Approves or denies a device authorization (RFC 8628 section 3.3). */
export function createAnswerDeviceAuthorization(deps: AnswerDeviceAuthorizationDeps) {
  return (
    input: UserCodeInput,
    answer: DeviceAuthorizationAnswer,
    call: Call,
  ): Promise<AnswerDeviceAuthorizationOutcome> =>
    byUserCode(deps, input, call, (snapshot) =>
      decideAnswerDeviceAuthorization(snapshot, input, answer, call.actor, deps.clock.now()),
    );
}

/**
 * User codes are short, so guesses are limited (RFC 8628 section 5.1): beyond the limit the answer is the one for a code
 * that does not exist, whatever the code.
 */
async function byUserCode<Outcome extends { readonly ok: boolean; readonly reason?: string }>(
  { storage, secrets, guesses, guessLimits = defaultGuessLimits }: AnswerDeviceAuthorizationDeps,
  { tenantId, principalId, userCode }: UserCodeInput,
  { wanted }: Call,
  decide: (snapshot: UserCodeSnapshot) => Decision<Outcome>,
): Promise<Outcome | { readonly ok: false; readonly reason: "USER_CODE_INVALID" }> {
  const counted = [
    { key: JSON.stringify([tenantId, principalId]), most: guessLimits.missesOfPrincipal },
    { key: JSON.stringify([tenantId]), most: guessLimits.missesOfTenant },
  ];
  if (counted.some(({ key, most }) => guesses?.blocked(key, most))) return { ok: false, reason: "USER_CODE_INVALID" };
  for (const { key } of counted) guesses?.miss(key);
  let missed = false;
  try {
    const { outcome } = await storage.transact(
      { kind: "userCode", userCodeHash: secrets.hashUserCode(normalizeUserCode(userCode)), tenantId, principalId },
      decide,
      { wanted },
    );
    missed = outcome.reason === "USER_CODE_INVALID";
    return outcome;
  } finally {
    if (!missed) for (const { key } of counted) guesses?.pardon(key);
  }
}
