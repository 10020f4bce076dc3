/** The names that tokens contain. */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
  readonly brokerAudience: string;
}

/**
 * Checks the names of a platform's tokens. A name that is missing at run time, such as an environment variable that is not
 * set, would switch off the check of that claim.
 *
 * @throws TypeError when a name is not a text or is empty, or the audiences are equal.
 */
export function checkTokenNames({ issuer, audience, brokerAudience }: TokenNames): void {
  for (const [name, value] of Object.entries({ issuer, audience, brokerAudience })) {
    if (typeof value === "string" && value !== "") continue;
    throw new TypeError(`createPlatform: ${name} is missing. Set it, usually to a URL: tokens are checked against it.`);
  }
  if (audience === brokerAudience)
    throw new TypeError(
      `createPlatform: audience and brokerAudience are both ${audience}. Make them different, so that this API does not accept the tokens of brokers.`,
    );
}
