import { ProgramError } from "@platform-rpc/signed-in";

const quoted = /'(?<single>[^'\0]*)'|`(?<backtick>[^`\0]*)`|"(?<double>(?:[^"\\\0]|\\[^\0])*)"/;
const plain = /(?![ \t]*['"`])(?<plain>(?:(?![ \t]#)[^\n\0])*)/;
const assignment = `(?:export[ \\t]+)?(?<name>[\\w.-]+)[ \\t]*(?:=(?:[ \\t]*(?:${quoted.source})|${plain.source}))?`;
const entry = new RegExp(`[ \\t]*(?:${assignment})?[ \\t]*(?:#[^\\n]*)?(?:\\n|$)`, "y");

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/**
 * Parses a file of variables: `NAME=value`, or `NAME` for one that stays as it is. A `#` starts a comment at the start of a line or after a
 * space. A value in quotes can have several lines. Double quotes have escapes: `\n`, `\r`, `\t`, `\\`, `\"`, `` \` `` and `\$`. `${NAME}`
 * is not replaced.
 *
 * @throws ProgramError if a line has another form. The message contains its number, and no part of the line.
 */
export function parseEnvFile(file: string, path: string): Readonly<Record<string, string>> {
  const text = file.replaceAll(/\r\n?/g, "\n");
  const variables: [name: string, value: string][] = [];
  for (let at = 0; at < text.length; ) {
    entry.lastIndex = at;
    const { 0: whole, groups = {} } = entry.exec(text) ?? {};
    if (whole === undefined) {
      const line = text.slice(0, at).split("\n").length;
      throw new ProgramError(
        `${path}, line ${line}, is not NAME=value. A value that starts with a quote must end with it, and one of several lines must be in quotes. The command has not started.`,
        "usage",
      );
    }
    const { name, single, backtick, double, plain } = groups;
    const value = single ?? backtick ?? double?.replaceAll(/\\([nrt\\"`$])/g, unescaped) ?? plain?.trim();
    if (name !== undefined && value !== undefined) variables.push([name, value]);
    at += whole.length;
  }
  return Object.fromEntries(variables);
}

function unescaped(_: string, character: string): string {
  return escapes.get(character) ?? character;
}
