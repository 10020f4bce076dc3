/** The longest name, in UTF-16 code units, as `maxlength` of a field counts. */
export const longestName = 64;

/** Controls, lone surrogates, line and paragraph separators, and format characters: those of bidirectional text make a name look like another. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * U+200C and U+200D between two characters that people see. Persian and Indic names are written with them, and emoji of several
 * parts. Anywhere else they are invisible.
 */
const joiner =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])/gu;

/**
 * Returns why a text cannot be a name, for the person who typed it; undefined if it can be one. The pages check what people type
 * with the same function as the server.
 */
export function nameProblem(text: string): string | undefined {
  const name = text.trim();
  if (name === "") return "Enter a name.";
  if (name.length > longestName) return `A name has at most ${longestName} characters. Shorten it.`;
  if (forbidden.test(name.replace(joiner, ""))) {
    return "A name cannot contain line breaks or invisible characters. Delete them, or type the name instead of pasting it.";
  }
  return undefined;
}
