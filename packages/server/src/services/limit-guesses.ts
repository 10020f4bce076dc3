import type { Approver } from "../domain/answer-device-authorization.js";
import type { GuessLimiter } from "../ports/rate-limiter.js";

/** After how many wrong user codes in ten minutes every code is rejected, for one principal and for its whole tenant. */
export interface GuessLimits {
  readonly missesOfPrincipal: number;
  readonly missesOfTenant: number;
}

export const defaultGuessLimits: GuessLimits = { missesOfPrincipal: 5, missesOfTenant: 50 };

interface Answer {
  readonly ok: boolean;
  readonly reason?: string;
}

const invalid = { ok: false, reason: "USER_CODE_INVALID" } as const;

/**
 * Creates a function that limits how many wrong user codes callers of an operation may send, because user codes are short
 * (RFC 8628 section 5.1). Once the limit is reached, every code gets the same error as an unknown code.
 * Without a limiter, guesses are unlimited.
 */
export function createLimitGuesses(guesses: GuessLimiter | undefined) {
  return <Input extends Approver, More extends readonly unknown[], Outcome extends Answer>(
    operation: (input: Input, ...more: More) => Promise<Outcome>,
  ): ((input: Input, ...more: More) => Promise<Outcome | typeof invalid>) => {
    if (guesses === undefined) return operation;
    // If it fails, the operation has succeeded nevertheless, and the guess counts as a miss.
    const pardon = async (keys: readonly string[]) => guesses.pardon(keys);
    return async (input, ...more) => {
      const counted = [
        { key: JSON.stringify([input.tenantId, input.principalId]), most: defaultGuessLimits.missesOfPrincipal },
        { key: JSON.stringify([input.tenantId]), most: defaultGuessLimits.missesOfTenant },
      ];
      if (!(await guesses.guess(counted))) return invalid;
      let missed = false;
      try {
        const outcome = await operation(input, ...more);
        missed = outcome.reason === invalid.reason;
        return outcome;
      } finally {
        if (!missed) await pardon(counted.map(({ key }) => key)).catch(() => {});
      }
    };
  };
}
