import type { Value } from "../facts/facts.ts";

/** Words that promise something. Those in one line promise the same. */
const guarantees = [
  /\b(?:never|cannot|can't|impossible|under no circumstances|in no case|at no time)\b/gi,
  /\b(?:always|without exception|in (?:every|each|any) case|every time|guarante\w+)\b/gi,
  /\b(?:exactly|precisely)\b/gi,
  /\b(?:at least|no (?:less|fewer|earlier|sooner) than|not (?:less|fewer|earlier|sooner) than)\b/gi,
  /\b(?:at most|up to|within|no (?:more|longer|later) than|not (?:more|longer|later) than)\b/gi,
];

/** Words that take a promise back. */
const hedges =
  /\b(?:usually|normally|typically|generally|often|mostly|sometimes|probably|likely|can|could|may|might|should|tr(?:y|ies) to|best effort|if possible|as a rule|in most cases|(?:about|around|roughly|approximately)(?= (?:\d|an? |one )))\b/gi;

/** Numbers, with their units. `one` and `once` are numbers only after some words: "each one" and "once it is deleted" count nothing. */
const amount =
  /(\d[\d.,_]*\d|\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice)\b|(?<=\b(?:exactly|precisely|least|most|only|than|to) )(?:one|once)\b)[ -]?(ms|milli\w+|s|sec\w*|min\w*|h|hours?|d|days?|weeks?|months?|years?|[kmg]i?b|bytes?|%|percent)?(?!\w)/gi;
/** What the units that are short are called otherwise. */
const units: Readonly<Record<string, string>> = { ms: "mil", s: "sec", h: "hou", d: "day", "%": "per" };

/** Reports whether sentences that took the place of others promise less: a number, a guarantee, or no reservation. */
export function promisesLess(was: string, is: string): boolean {
  const [before, after] = [amountsIn(was), amountsIn(is)];
  const count = (text: string, words: RegExp) => [...text.matchAll(words)].length;
  return (
    before.some((each) => !after.includes(each)) ||
    guarantees.some((words) => count(is, words) === 0 && count(was, words) > 0) ||
    count(is, hedges) > count(was, hedges)
  );
}

/** Returns the numbers in a text, with their units: `60 sec`. */
function amountsIn(text: string): readonly string[] {
  return [...text.toLowerCase().matchAll(amount)].map(
    ([, number = "", unit = ""]) => `${number.replaceAll(/[,_]/g, "")} ${units[unit] ?? unit.slice(0, 3)}`,
  );
}

function textsIn(value: Value = []): readonly string[] {
  return typeof value === "object" ? value.map(String) : String(value).split(/(?<=[.:;])\s+/);
}

/** Returns the texts that only the first has, and those that only the second has. */
export function changedTexts(
  was: Value | undefined,
  is: Value | undefined,
): readonly [gone: string[], added: string[]] {
  const [before, after] = [textsIn(was), textsIn(is)];
  return [before.filter((text) => !after.includes(text)), after.filter((text) => !before.includes(text))];
}
