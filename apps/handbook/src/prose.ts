/** Returns the lines outside of code blocks. */
export function proseLines(text: string): readonly { readonly line: string; readonly index: number }[] {
  const lines: { line: string; index: number }[] = [];
  eachLine(text, (line, isProse, index) => {
    if (isProse) lines.push({ line, index });
    return line;
  });
  return lines;
}

/** Replaces each part of a Markdown text that is not code. */
export function mapProse(text: string, replace: (part: string) => string): string {
  return eachLine(text, (line, isProse) => {
    if (!isProse) return line;
    // A part with an odd index is code.
    const parts = line.split(/(`+[^`]*`+)/);
    return parts.map((part, index) => (index % 2 === 1 ? part : replace(part))).join("");
  });
}

function eachLine(text: string, map: (line: string, isProse: boolean, index: number) => string): string {
  let open: string | undefined;
  const lines = text.split("\n").map((line, index) => {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined || (open !== undefined && line.trim() !== open))
      return map(line, open === undefined, index);
    open = open === undefined ? fence : undefined;
    return map(line, false, index);
  });
  return lines.join("\n");
}
