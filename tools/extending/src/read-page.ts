/** What a reader of the page does. */
export type Step =
  | { readonly kind: "write"; readonly path: string; readonly code: string }
  | { readonly kind: "edit"; readonly path: string; readonly diff: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "fail"; readonly command: string; readonly output: readonly string[] };

/** A block of code with its language, after a path in bold or after a block with commands that fail. */
const block = /(?:^\*\*`([^`\n]+)`\*\*\n\n)?^```(\S+)( fails)?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms;

/**
 * Reads the steps of a page, in their order.
 *
 * @throws Error when a block is neither a file nor commands: a reader could not know what to do with it.
 */
export function readPage(page: string): readonly Step[] {
  return [...page.matchAll(block)].flatMap(([, path, language = "", fails, code = "", output]): readonly Step[] => {
    if (path !== undefined)
      return [language === "diff" ? { kind: "edit", path, diff: code } : { kind: "write", path, code }];
    if (language !== "sh") throw new Error(`A block of ${language} has no path in bold above it:\n${code}`);
    const commands = linesOf(code).map((line) => line.replace(/^npx -y pnpm@\d+ /, "pnpm "));
    if (fails === undefined) return commands.map((command) => ({ kind: "run", command }));
    if (output === undefined) throw new Error(`A block of text must follow, with the output of:\n${code}`);
    return commands.map((command) => ({ kind: "fail", command, output: linesOf(output) }));
  });
}

/**
 * Applies a diff to a text: adds its lines with +, and removes those with -.
 *
 * @throws Error when the lines without + are not in the text, next to each other, once.
 */
export function applyDiff(text: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const before = lines.filter((line) => !line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
  const after = lines.filter((line) => !line.startsWith("-")).map((line) => `${line.slice(1)}\n`);
  const parts = text.split(before.join(""));
  if (parts.length !== 2) throw new Error(`These lines are ${parts.length - 1} times in the file:\n${before.join("")}`);
  return parts.join(after.join(""));
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
