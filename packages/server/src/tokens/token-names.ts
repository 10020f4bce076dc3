/** The issuer and the audiences of tokens. */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
  readonly brokerAudience: string;
}

/**
 * Checks the names of a platform's tokens. If a name were missing at run time, as when an environment variable is not set, that
 * claim would not be checked.
 *
 * @throws TypeError when a name is empty or not a string, or the audiences are equal.
 */
export function checkTokenNames({ issuer, audience, brokerAudience }: TokenNames): void {
  for (const [name, value] of Object.entries({ issuer, audience, brokerAudience })) {
    if (typeof value === "string" && value !== "") continue;
    throw new TypeError(
      `createPlatform: ${name} is required. Set it, usually to a URL: tokens are checked against it.`,
    );
  }
  if (audience === brokerAudience)
    throw new TypeError(
      `createPlatform: audience and brokerAudience are both ${audience}. Make them different, so that this API does not accept broker tokens.`,
    );
}
