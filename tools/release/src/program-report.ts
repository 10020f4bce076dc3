import { spawnSync } from "node:child_process";

/**
 * Returns what callers of a program rely on, read from its help: each command with its arguments, flags and their defaults; the
 * environment variables; the exit codes. Every part is one declaration.
 *
 * @param main the built file of the program.
 */
export function programReport(main: string): readonly string[] {
  return describe(main, []);
}

function describe(main: string, words: readonly string[]): readonly string[] {
  const help = helpOf(main, words);
  const [, usage = ""] = /^Usage: (.*)$/m.exec(help) ?? [];
  const [name = ""] = /^[\w -]*\w/.exec(usage) ?? [];
  const rows = rowsIn(help);
  const flags = rows.filter(({ term }) => term.startsWith("-")).map(flagLine);
  const variables = rows.filter(({ heading }) => heading === "Environment:");
  const commands = rows.filter(({ heading, term }) => heading === "Commands:" && !term.startsWith("help "));
  return [
    block(`command ${name}`, [...argumentLines(usage), ...flags.sort()]),
    ...(variables.length === 0 ? [] : [block(`environment of ${name}`, variables.map(variableLine))]),
    ...exitCodes(name, help),
    ...commands.flatMap(({ term }) => describe(main, [...words, term.replace(/ .*/, "")])),
  ];
}

function helpOf(main: string, words: readonly string[]): string {
  const { PATH } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...words, "--help"], {
    encoding: "utf8",
    env: { PATH },
  });
  if (status !== 0)
    throw new Error(`${main} ${words.join(" ")} --help ended with ${status}. Build the package first.\n${stderr}`);
  return stdout;
}

/** A line of a list in a help: `  --json   print JSON`. */
interface Row {
  /** The line above the list. Empty if there is none. */
  readonly heading: string;
  readonly term: string;
  readonly text: string;
}

/** Returns the rows of all lists. A row may be wrapped: its next lines are further indented. */
function rowsIn(help: string): readonly Row[] {
  return help.split(/\n\n+/).flatMap((section) => {
    const [heading = ""] = /^\S+:$/m.exec(section) ?? [];
    const rows = section.replaceAll(/\n {6,}/g, " ").matchAll(/^ {2}(\S(?:.*?\S)?)(?: {2,}(.*))?$/gm);
    return [...rows].map(([, term = "", text = ""]) => ({ heading, term, text }));
  });
}

/** Returns `--scope?: <scopes...> "a" | "b" = a;` for a flag with choices and a default. */
function flagLine({ term, text }: Row): string {
  const [, short = "", name = "", value = "boolean"] = /^(?:(-\w), )?(--[\w-]+)(?: (.+))?$/.exec(term) ?? [];
  const choices = /\(choices: (.*?)\)/.exec(text)?.[1]?.replaceAll(", ", " | ");
  const byDefault = /default: (.*?)(?=;|\)?$| \()/.exec(text)?.[1];
  const type = [value, choices, byDefault && `= ${byDefault}`, short && `also ${short}`].filter(Boolean).join(" ");
  return `${name}?: ${type};`;
}

function argumentLines(usage: string): readonly string[] {
  const found = usage.replaceAll(/\[(?:--.*?|options|command)\]/g, "").matchAll(/<([\w.]+)>|\[([\w.]+)\]/g);
  return [...found].map(([, required, optional]) => (required ? `${required}: string;` : `${optional}?: string;`));
}

function variableLine({ term, text }: Row): string {
  const byDefault = /default: (.*)$/.exec(text)?.[1];
  return /\brequired$/.test(text) ? `${term}: string;` : `${term}?: string${byDefault ? ` = ${byDefault}` : ""};`;
}

function exitCodes(name: string, help: string): readonly string[] {
  const [, list = ""] = /^Exit codes:\n((?: .*\n)+)/m.exec(help) ?? [];
  const codes = [...list.matchAll(/(\d+) (\S.*?)(?= {2,}|$)/gm)].map(([, code, meaning]) => `${code}: ${meaning};`);
  return codes.length === 0 ? [] : [block(`exit codes of ${name}`, codes)];
}

function block(signature: string, lines: readonly string[]): string {
  return [`${signature} {`, ...lines.map((line) => `    ${line}`), "}"].join("\n");
}
