const longestText = 80;
const shownCharacters = 40;
const mostLines = 300;

/** Returns a JSON text for the view: indented, with long texts such as ciphertexts cut, and long lists cut. */
export function foldedJson(json: string): string {
  const lines = indented(json).split("\n");
  if (lines.length <= mostLines) return lines.join("\n");
  return [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines: copy the text to see all.`].join(
    "\n",
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(
      JSON.parse(json, (_, value) => (typeof value === "string" ? folded(value) : value)),
      undefined,
      2,
    );
  } catch {
    return folded(json);
  }
}

function folded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, shownCharacters)}… (${text.length} characters)`;
}
