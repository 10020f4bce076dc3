import { randomBelow } from "./random-below.js";

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

/** Returns one of the passwords with each chosen class, all equally probable. @throws RangeError for a wrong length, or no class. */
export function generatePassword(options: PasswordOptions = {}): string {
  const { length = passwordLengths.usual } = options;
  if (!Number.isInteger(length) || length < passwordLengths.shortest || length > passwordLengths.longest) {
    const { shortest, longest } = passwordLengths;
    throw new RangeError(`Invalid length: must be an integer from ${shortest} to ${longest}.`);
  }
  const classes = classesOf(options);
  if (classes.length === 0) throw new RangeError("Invalid options: choose letters, digits or symbols.");
  const alphabet = classes.join("");
  // Replacing a character of a password that lacks a class would make some passwords more probable than others.
  for (;;) {
    const password = Array.from({ length }, () => alphabet.charAt(randomBelow(alphabet.length))).join("");
    if (classes.every((characters) => [...characters].some((character) => password.includes(character)))) {
      return password;
    }
  }
}

/** Returns how hard a password is to guess for who knows the options, in bits. */
export function passwordBits(options: PasswordOptions = {}): number {
  const { length = passwordLengths.usual } = options;
  const sizes = classesOf(options).map((characters) => characters.length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  // The part of all texts that has a character of each class, by inclusion and exclusion.
  const part = (from: number, left: number): number =>
    from === sizes.length ? (left / all) ** length : part(from + 1, left) - part(from + 1, left - (sizes[from] ?? 0));
  return length * Math.log2(all) + Math.log2(part(0, all));
}

function classesOf(options: PasswordOptions): readonly string[] {
  const { letters = true, digits = true, symbols = true, withoutLookAlikes } = options;
  const chosen = [
    ...(letters ? [lower, lower.toUpperCase()] : []),
    ...(digits ? ["0123456789"] : []),
    ...(symbols ? [symbolCharacters] : []),
  ];
  return withoutLookAlikes ? chosen.map((characters) => characters.replaceAll(lookAlikes, "")) : chosen;
}
