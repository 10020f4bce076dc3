import { longestPrivateTokenLife } from "../domain/model/grant.js";

const hour = 60 * 60 * 1000;

/** How long a key signs, in milliseconds. */
export const signingPeriod = 30 * 24 * hour;

/** How long a key is published before it signs, in milliseconds. Longer than verifiers cache the key set. */
export const publishedAhead = hour;

/**
 * How long a key is kept after it stopped signing, in milliseconds: the longest lifetime of any token, plus five minutes for a
 * grant that selected the key just before.
 */
export const keptAfterwards = longestPrivateTokenLife * 1000 + 5 * 60 * 1000;

/** When a signing key was created, and when it starts to sign, in milliseconds since the epoch. It signs until the next key starts. */
export interface KeySpan {
  readonly createdAt: number;
  readonly signsFrom: number;
}

/**
 * Returns the signing key at `now`, from keys in ascending order of `signsFrom`: the first key if none signs yet. Undefined only
 * when there are no keys.
 */
export function currentKey<Key extends KeySpan>(keys: readonly Key[], now: number): Key | undefined {
  return keys.findLast((key) => key.signsFrom <= now) ?? keys[0];
}

/** Returns the keys published at `now`: future signing keys, the current one, and those with unexpired tokens. */
export function publishedKeys<Key extends KeySpan>(keys: readonly Key[], now: number): Key[] {
  return keys.filter((_, index) => {
    const successor = keys[index + 1];
    return successor === undefined || now < successor.signsFrom + keptAfterwards;
  });
}

/**
 * Returns the key to create at `now`, or undefined when none is due. The first key signs at once. Every other key is
 * published for an hour before it signs, even when it is created late because the process did not run.
 */
export function dueKey(keys: readonly KeySpan[], now: number): KeySpan | undefined {
  const newest = keys.at(-1);
  if (newest === undefined) return { createdAt: now, signsFrom: now };
  const signsUntil = newest.signsFrom + signingPeriod;
  if (now < signsUntil - publishedAhead) return undefined;
  return { createdAt: now, signsFrom: Math.max(signsUntil, now + publishedAhead) };
}
