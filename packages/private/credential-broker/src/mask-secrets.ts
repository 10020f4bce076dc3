export const mask = "<masked pvault>";

/** The shortest value that is masked, in bytes: a shorter one is in every second line of other text. */
const shortestMasked = 4;

/** What a terminal may obey, but for tabs and line breaks. */
const control = /[^\P{Cc}\t\n\r]/u;

/** Steps that follow each other, each with the ways in which it can be written. In latin1: each character is a byte. */
export type Pattern = readonly (readonly string[])[];

/** Replaces secrets in bytes that arrive in parts. */
export interface Masking {
  /** Returns what can be shown. Holds back the end if a secret may begin there. */
  push(chunk: Uint8Array): Uint8Array;
  /** Returns the rest, with a last part. */
  end(last?: Uint8Array): Uint8Array;
}

/** Creates a filter that replaces each of the values, also if it is split over several parts. Overlapping values become one mask. */
export function createMasking(values: readonly string[]): Masking {
  return prepareMasking(maskedValues(values).map((value) => [[latin1Of(value)]]))();
}

/** Returns the values that are masked, with and without the space around them. */
export function maskedValues(values: readonly string[]): readonly string[] {
  return [...new Set(values.flatMap((value) => [value, value.trim()]))].filter(
    (value) => Buffer.byteLength(value) >= shortestMasked || control.test(value),
  );
}

/** Output need not be UTF-8, and a part can end inside of a character. */
export function latin1Of(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Returns a function that creates filters for the same patterns. */
export function prepareMasking(patterns: readonly Pattern[]): () => Masking {
  const searches = patterns.map(prepareSearch);
  return () => maskingOf(searches);
}

interface Found {
  /** Where occurrences begin and end. */
  readonly whole: (readonly [start: number, end: number])[];
  /** Where the text ends with the beginning of an occurrence; its length if nowhere. */
  undecided: number;
}

type Search = (text: string, found: Found) => void;

/** How many steps are searched with a regular expression, and how much of a step that is the only one. */
const [firstSteps, firstCharacters] = [3, 16];

function prepareSearch(pattern: Pattern): Search {
  const [only = []] = pattern;
  const first =
    pattern.length === 1 ? [only.map((text) => text.slice(0, firstCharacters))] : pattern.slice(0, firstSteps);
  const start = new RegExp(first.map((texts) => `(?:${texts.map(escaped).join("|")})`).join(""), "g");
  const longest = first.reduce((sum, texts) => sum + Math.max(...texts.map(({ length }) => length)), 0);
  const firsts = new Set(only.map((text) => text.charAt(0)));
  return (text, found) => {
    const tryAt = (at: number) => {
      const end = endOf(text, pattern, at);
      if (end === "undecided") found.undecided = Math.min(found.undecided, at);
      else if (end !== undefined) found.whole.push([at, end]);
    };
    start.lastIndex = 0;
    for (let match = start.exec(text); match !== null; match = start.exec(text)) {
      tryAt(match.index);
      start.lastIndex = match.index + 1;
    }
    // The regular expression does not find what has only just begun.
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      if (firsts.has(text.charAt(at))) tryAt(at);
    }
  };
}

/** Returns where a pattern that begins at a place ends. Undefined: it does not occur there. */
function endOf(text: string, pattern: Pattern, at: number): number | "undecided" | undefined {
  let ends = [at];
  let isUndecided = false;
  for (const texts of pattern) {
    const next = new Set<number>();
    for (const end of ends) {
      for (const written of texts) {
        if (text.startsWith(written, end)) next.add(end + written.length);
        else isUndecided ||= text.length - end < written.length && written.startsWith(text.slice(end));
      }
    }
    if (next.size === 0) return isUndecided ? "undecided" : undefined;
    ends = [...next];
  }
  return Math.max(...ends);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function maskingOf(searches: readonly Search[]): Masking {
  /** What is held back. */
  let pending = "";
  /** How many characters of it belong to a secret that begins before it. */
  let covered = 0;
  /** Whether what was returned last ends with a mask. */
  let inMask = false;

  function show(text: string, isEnd: boolean): Uint8Array {
    const found: Found = { whole: [], undecided: text.length };
    for (const search of searches) search(text, found);
    const shown = isEnd ? text.length : found.undecided;
    if (covered === 0 && found.whole.length === 0) {
      if (shown > 0) inMask = false;
      pending = text.slice(shown);
      return Buffer.from(text.slice(0, shown), "latin1");
    }
    const isCovered = new Uint8Array(text.length).fill(1, 0, covered);
    for (const [start, end] of found.whole) isCovered.fill(1, start, end);
    const parts: string[] = [];
    for (let at = 0; at < shown; ) {
      const hidden = isCovered[at] === 1;
      let end = at;
      while (end < shown && (isCovered[end] === 1) === hidden) end += 1;
      if (!hidden) parts.push(text.slice(at, end));
      else if (!inMask) parts.push(mask);
      inMask = hidden;
      at = end;
    }
    pending = text.slice(shown);
    covered = inMask ? leadingOnes(isCovered.subarray(shown)) : 0;
    return Buffer.from(parts.join(""), "latin1");
  }

  return {
    push: (chunk) => show(pending + Buffer.from(chunk).toString("latin1"), false),
    end: (last = new Uint8Array()) => show(pending + Buffer.from(last).toString("latin1"), true),
  };
}

function leadingOnes(flags: Uint8Array): number {
  const end = flags.indexOf(0);
  return end === -1 ? flags.length : end;
}
