/**
 * How long expired device authorizations, grants and records are kept, in milliseconds: a day.
 *
 * - A device authorization is needed until the tokens of its code expire, so that a foreign caller who sends the code revokes them:
 *   15 minutes after it expires. The idempotency key, stored with it, is needed for a minute after the code was consumed.
 * - A grant and its revocations are needed until the tokens of the grant expire. A token whose grant does not exist counts as revoked.
 * - A record counts as absent once it has expired.
 *
 * The rest of the day covers the differences between clocks: the time is trusted up to an hour.
 */
const keptAfterExpiry = 24 * 60 * 60 * 1000;

/** Returns the time before which a row must have expired to be purged, in milliseconds since the epoch. */
export function purgeableBefore(now: number): number {
  return now - keptAfterExpiry;
}
