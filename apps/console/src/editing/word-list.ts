import words from "@zxcvbn-ts/language-common/dist/diceware.json.mjs";

/**
 * The large word list of the EFF, 7776 words of Joseph Bonneau, Creative Commons Attribution 3.0 US. The package, which judges passwords
 * with it, writes its four words with a hyphen without one.
 *
 * @see https://www.eff.org/dice
 */
export const wordList: readonly string[] = words;
