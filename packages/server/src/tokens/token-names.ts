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

/**
 * Checks the audience of another resource.
 *
 * @throws TypeError when it is empty, or one of those in use.
 */
export function checkResourceAudience(audience: string, used: readonly string[]): void {
  if (audience === "") throw new TypeError("createResource: the audience is required. Set it, usually to a URL.");
  if (!used.includes(audience)) return;
  throw new TypeError(
    `createResource: ${audience} is already the audience of the API or of brokers. Each resource needs its own, so that it accepts only its own tokens.`,
  );
}
