import { randomBelow } from "./random-below.js";

export interface PassphraseOptions {
  /** Default: 6. */
  readonly words?: number | undefined;
  /** Between the words. Default: a hyphen. */
  readonly separator?: string | undefined;
  /** Whether each word begins with a capital letter. Default: false. */
  readonly capitals?: boolean | undefined;
  /** Whether a digit follows one of the words, for pages that ask for one. Default: false. */
  readonly digit?: boolean | undefined;
}

/** The lengths that a passphrase can have, in words. */
export const passphraseLengths = { shortest: 4, longest: 10, usual: 6 } as const;

/**
 * Returns a random passphrase. All that differ are equally probable.
 *
 * @param list different words, such as the large list of the EFF
 * @throws RangeError when the number of words is outside the limits
 */
export function generatePassphrase(list: readonly string[], options: PassphraseOptions = {}): string {
  const { words = passphraseLengths.usual, separator = "-", capitals = false, digit = false } = options;
  if (!Number.isInteger(words) || words < passphraseLengths.shortest || words > passphraseLengths.longest) {
    const { shortest, longest } = passphraseLengths;
    throw new RangeError(`Invalid number of words: must be an integer from ${shortest} to ${longest}.`);
  }
  const numbered = digit ? randomBelow(words) : undefined;
  const chosen = Array.from({ length: words }, (_, place) => {
    const word = list[randomBelow(list.length)] ?? "";
    const written = capitals ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    return place === numbered ? `${written}${randomBelow(10)}` : written;
  });
  return chosen.join(separator);
}

/** Returns how hard a passphrase is to guess for who knows the list and the options, in bits. */
export function passphraseBits(listed: number, options: PassphraseOptions = {}): number {
  const { words = passphraseLengths.usual, digit = false } = options;
  return words * Math.log2(listed) + (digit ? Math.log2(10 * words) : 0);
}
