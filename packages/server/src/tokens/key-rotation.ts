const hour = 60 * 60 * 1000;

/** Milliseconds for which a key signs. */
export const signingPeriod = 30 * 24 * hour;

/** Milliseconds for which a key is published before it signs: long enough for verifiers that keep what they fetched. */
export const publishedAhead = hour;

/**
 * Milliseconds for which a key is kept after it stopped signing: the longest life of any token, which is an hour for the
 * tokens of operators and 900 s for all others, and five minutes for a grant that named the key just before.
 */
export const keptAfterwards = hour + 5 * 60 * 1000;

/** When a signing key came, and from when it signs: until the next one does. */
export interface KeySpan {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly signsFrom: number;
}

/** The key that signs at `now`, of keys in the order in which they sign. Undefined only when there are none. */
export function currentKey<Key extends KeySpan>(keys: readonly Key[], now: number): Key | undefined {
  return keys.findLast((key) => key.signsFrom <= now) ?? keys[0];
}

/** The keys that are published at `now`: those that will sign, that which signs, and those of which tokens may live. */
export function publishedKeys<Key extends KeySpan>(keys: readonly Key[], now: number): Key[] {
  return keys.filter((_, index) => {
    const successor = keys[index + 1];
    return successor === undefined || now < successor.signsFrom + keptAfterwards;
  });
}

/**
 * The key to make at `now`, if one is due. The very first signs at once; any other is published for an hour before it
 * does, even when it is late because nothing ran when it should have been made.
 */
export function dueKey(keys: readonly KeySpan[], now: number): KeySpan | undefined {
  const newest = keys.at(-1);
  if (newest === undefined) return { createdAt: now, signsFrom: now };
  const signsUntil = newest.signsFrom + signingPeriod;
  if (now < signsUntil - publishedAhead) return undefined;
  return { createdAt: now, signsFrom: Math.max(signsUntil, now + publishedAhead) };
}
