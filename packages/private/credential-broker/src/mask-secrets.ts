export const mask = "<masked pvault>";

/** The shortest value that is masked, in bytes: a shorter one is in every second line of other text. */
const shortestMasked = 4;

/** What a terminal may obey, but for tabs and line breaks. */
const control = /[^\P{Cc}\t\n\r]/u;

/** Replaces secrets in bytes that arrive in parts. */
export interface Masking {
  /** Returns what can be shown. Holds back the end if a secret may begin there. */
  push(chunk: Uint8Array): Uint8Array;
  /** Returns the rest, with a last part. */
  end(last?: Uint8Array): Uint8Array;
}

/** Creates a filter that replaces each of the values, also if it is split over several parts. Overlapping values become one mask. */
export function createMasking(values: readonly string[]): Masking {
  return prepareMasking(values)();
}

/** Returns a function that creates filters for the same values. */
export function prepareMasking(values: readonly string[]): () => Masking {
  // In latin1, each character is a byte: output need not be UTF-8, and a part can end inside of a character.
  const secrets = [...new Set(values.flatMap((value) => [value, value.trim()]))]
    .filter((value) => Buffer.byteLength(value) >= shortestMasked || control.test(value))
    .map((value) => Buffer.from(value).toString("latin1"));
  return () => maskingOf(secrets);
}

function maskingOf(secrets: readonly string[]): Masking {
  /** What is held back. */
  let pending = "";
  /** How many characters of it belong to a secret that begins before it. */
  let covered = 0;
  /** Whether what was returned last ends with a mask. */
  let inMask = false;

  function show(text: string, isEnd: boolean): Uint8Array {
    if (covered === 0 && !secrets.some((secret) => text.includes(secret))) return showAll(text, isEnd);
    const isCovered = new Uint8Array(text.length).fill(1, 0, covered);
    for (const secret of secrets) {
      for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
        isCovered.fill(1, at, at + secret.length);
      }
    }
    const shown = isEnd ? text.length : firstUndecided(text, secrets);
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
  /** Shows a text in which no secret is complete. */
  function showAll(text: string, isEnd: boolean): Uint8Array {
    const shown = isEnd ? text.length : firstUndecided(text, secrets);
    if (shown > 0) inMask = false;
    pending = text.slice(shown);
    return Buffer.from(text.slice(0, shown), "latin1");
  }
  return {
    push: (chunk) => show(pending + Buffer.from(chunk).toString("latin1"), false),
    end: (last = new Uint8Array()) => show(pending + Buffer.from(last).toString("latin1"), true),
  };
}

/** Returns where the text ends with the beginning of a secret; its length if nowhere. */
function firstUndecided(text: string, secrets: readonly string[]): number {
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const rest = text.slice(at);
    if (secrets.some((secret) => secret.length > rest.length && secret.startsWith(rest))) return at;
  }
  return text.length;
}

function leadingOnes(flags: Uint8Array): number {
  const end = flags.indexOf(0);
  return end === -1 ? flags.length : end;
}
