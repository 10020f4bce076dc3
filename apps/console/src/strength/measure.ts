import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs as graphs } from "@zxcvbn-ts/language-common";
import words from "@zxcvbn-ts/language-common/dist/diceware.json.mjs";
import passwords from "@zxcvbn-ts/language-common/dist/passwords.json.mjs";
import { translations } from "@zxcvbn-ts/language-en";
import firstNames from "@zxcvbn-ts/language-en/dist/firstnames.json.mjs";
import sequences from "@zxcvbn-ts/language-en/dist/wordSequences.json.mjs";

export interface Strength {
  /** 0 to 4. Each step means about a hundred times as many guesses, and 4 more than ten thousand million. */
  readonly score: number;
  /** What makes it easy to guess, as a sentence. Empty if nothing does. */
  readonly reason: string;
}

// All lists of the packages take 756 kB to load, these 222 kB. The list of passwords has the words that people use most in them.
const dictionary = { passwords, words, firstNames, ...sequences };
const estimator = new ZxcvbnFactory({ dictionary, graphs, translations });

/** The time grows with the square of the length, and whoever guesses so many characters guesses the others. */
const mostCharacters = 64;

/** Estimates how hard a password is to guess. It takes up to some 100 ms: not for the thread of the page. */
export function measure(password: string): Strength {
  const { score, feedback } = estimator.check(password.slice(0, mostCharacters));
  return { score, reason: feedback.warning ?? feedback.suggestions[0] ?? "" };
}
