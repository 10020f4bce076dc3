export interface PasswordOptions {
  /** In characters. Default: 20. */
  readonly length?: number | undefined;
  /** Lower-case and upper-case letters, at least one of both. Default: true. */
  readonly letters?: boolean | undefined;
  /** Default: true. */
  readonly digits?: boolean | undefined;
  /** Default: true. */
  readonly symbols?: boolean | undefined;
  /** Leaves out characters that are easily confused when a person reads or types them. Default: false. */
  readonly withoutLookAlikes?: boolean | undefined;
}

/** The lengths that a password can have, in characters. */
export const passwordLengths = { shortest: 8, longest: 128, usual: 20 } as const;

const lookAlikes = /[0Oo1lI]/g;
const lower = "abcdefghijklmnopqrstuvwxyz";
// Without quotes, escapes and the delimiters of tags, which shells and files would need to escape.
const symbolCharacters = "!@#$%^&*()-_=+[]{};:,.?/~";

/**
 * Returns a random password with at least one character of each chosen class. All such passwords are equally probable.
 *
 * @throws RangeError when the length is outside the limits, or no class is chosen.
 */
export function generatePassword(options: PasswordOptions = {}): string {
  const { length = passwordLengths.usual, letters = true, digits = true, symbols = true, withoutLookAlikes } = options;
  if (!Number.isInteger(length) || length < passwordLengths.shortest || length > passwordLengths.longest) {
    const { shortest, longest } = passwordLengths;
    throw new RangeError(`Invalid length: must be an integer from ${shortest} to ${longest}.`);
  }
  const chosen = [
    ...(letters ? [lower, lower.toUpperCase()] : []),
    ...(digits ? ["0123456789"] : []),
    ...(symbols ? [symbolCharacters] : []),
  ];
  if (chosen.length === 0) throw new RangeError("Invalid options: choose letters, digits or symbols.");
  const classes = withoutLookAlikes ? chosen.map((characters) => characters.replaceAll(lookAlikes, "")) : chosen;
  const alphabet = classes.join("");
  // Replacing a character of a password that lacks a class would make some passwords more probable than others.
  for (;;) {
    const password = Array.from({ length }, () => alphabet.charAt(randomBelow(alphabet.length))).join("");
    if (classes.every((characters) => [...characters].some((character) => password.includes(character)))) {
      return password;
    }
  }
}

/** Returns a random integer from 0 to `count - 1`, for a count of at most 256. All are equally probable. */
function randomBelow(count: number): number {
  // The remainder of a larger byte would make small numbers more probable.
  const end = 256 - (256 % count);
  for (;;) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < end) return byte % count;
  }
}
