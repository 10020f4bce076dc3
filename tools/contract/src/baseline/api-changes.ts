import type { PackageApis } from "./package-apis.ts";

/** How far a version has to go up because of a change. `never`: no version may contain the change. */
export type ApiStep = "minor" | "major" | "never";

export interface ApiChange {
  readonly package: string;
  readonly step: ApiStep;
  /** What changed, as a changeset must name it: `CallOptions.retry`, `engines.node`. */
  readonly name: string;
  readonly what: string;
}

type Change = Omit<ApiChange, "package">;

/**
 * Compares the declarations of packages by their lines. A line that is gone or changed is a major change, a line that is new a minor one,
 * except for what callers must provide. A new package is no change.
 */
export function compareApis(released: PackageApis, current: PackageApis): readonly ApiChange[] {
  return Object.entries(released).flatMap(([name, was]): readonly ApiChange[] => {
    const is = current[name];
    if (is === undefined) return [{ package: name, step: "major", name, what: `${name} is no longer published.` }];
    return compareDeclarations(was, is).map((change) => ({ ...change, package: name }));
  });
}

interface Declaration {
  readonly heading: string;
  readonly name: string;
  /** Overloads are one declaration. */
  readonly text: string;
}

function compareDeclarations(released: readonly string[], current: readonly string[]): readonly Change[] {
  const [before, after] = [byName(released), byName(current)];
  const directions = directionsOf(new Map([...after.values()].map(({ name, text }) => [name, text])));
  const changed = [...before].flatMap(([key, was]) => {
    const is = after.get(key);
    if (is === undefined) return [change(isRequirement(was) ? "minor" : stepOfLoss(was), was, "was removed")];
    return is.text === was.text ? [] : compareLines(was, is, directions.get(is.name) ?? new Set());
  });
  const added = [...after].flatMap(([key, is]) => {
    // A new migration changes nothing for those who have run the others.
    if (before.has(key) || is.heading === "migrations") return [];
    return [change(isRequirement(is) ? "major" : "minor", is, "was added")];
  });
  return [...new Map(changed.map((each) => [each.what, each])).values(), ...added];
}

function change(step: ApiStep, { heading, name }: Declaration, event: string, part = name): Change {
  return { step, name: part, what: `${heading}: ${part} ${event}.` };
}

/** Reports whether callers must provide something, such as an engine or a peer. */
function isRequirement({ heading, text }: Declaration): boolean {
  return heading === "package.json" && /^.*: required$/m.test(text);
}

/** A database that has run a released migration cannot run another one in its place. */
function stepOfLoss({ heading }: Declaration): ApiStep {
  return heading === "migrations" ? "never" : "major";
}

/** Returns the changes of a declaration: of each member, if only members differ. */
function compareLines(was: Declaration, is: Declaration, directions: ReadonlySet<Direction>): readonly Change[] {
  const numbers = numberChange(was, is);
  if (numbers !== undefined) return [numbers];
  const extend = (gained: Line) => extension(is, gained, isInputAt(is.text, gained.index, directions));
  const additions = addedLines(was.text, is.text);
  if (additions !== undefined) return additions.map(extend);
  const [before, after] = [was.text.split("\n"), is.text.split("\n")];
  const lost = before.filter((line) => !after.includes(line));
  const gained = linesIn(is.text).filter(({ line }) => !before.includes(line));
  const members = lost.map((line) => memberIn(line)?.name);
  // Its signature differs, or the order of its lines.
  if (lost.length === 0 || members.includes(undefined)) {
    const [old, now] = [lost.join(" ").trim(), gained.map(({ line }) => line.trim()).join(" ")];
    return [
      change(stepOfLoss(is), is, old === "" || now === "" ? "was changed" : `was \`${old}\` and is \`${now}\` now`),
    ];
  }
  const replaced = new Set(gained.map(({ line }) => memberIn(line)?.name));
  return [
    ...members.map((name = "") =>
      change("major", is, replaced.has(name) ? "was changed" : "was removed", partOf(is, name)),
    ),
    ...gained.filter(({ line }) => !members.includes(memberIn(line)?.name)).map(extend),
  ];
}

/** Callers who rely on a default or a maximum get at least as much of a higher one, and may send as little of a lower minimum. */
function numberChange(was: Declaration, is: Declaration): Change | undefined {
  const [before, after] = [was, is].map(({ text }) => /^const \S+ = (\d+|Infinity);$/.exec(text)?.[1]);
  if (before === undefined || after === undefined) return undefined;
  const isMinimum = /\.(?:minimum|minLength)$/.test(is.name);
  const step = Number(after) > Number(before) === isMinimum ? "major" : "minor";
  return change(step, is, `was ${before} and is ${after} now`);
}

interface Line {
  readonly line: string;
  readonly index: number;
}

/** A line that a declaration gained. Callers who create what contains it do not have a required member yet. */
function extension(declaration: Declaration, { line }: Line, isInput: boolean): Change {
  const member = memberIn(line);
  if (member === undefined) return change("minor", declaration, "was extended");
  const name = partOf(declaration, member.name);
  return isInput && !member.isOptional
    ? change("major", declaration, "was added and is required", name)
    : change("minor", declaration, "was added", name);
}

function memberIn(line: string) {
  const [, name, optional] = /^\s+(?:readonly )?(?:get |set |static )?"?([\w$-]+)"?(\?)?\s*[:(<]/.exec(line) ?? [];
  return name === undefined ? undefined : { name, isOptional: optional !== undefined };
}

/** Returns `Options.retry`, or `platform login --json`. */
function partOf({ name }: Declaration, member: string): string {
  return `${name}${member.startsWith("-") ? " " : "."}${member}`;
}

function byName(declarations: readonly string[]): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const declaration of declarations) {
    const [heading = "", ...lines] = declaration.split("\n");
    const name = nameIn(lines.find((line) => !line.startsWith("//")) ?? "");
    const key = `${heading} ${name}`;
    const overloads = found.get(key);
    const text = lines.join("\n");
    found.set(key, { heading, name, text: overloads === undefined ? text : `${overloads.text}\n${text}` });
  }
  return found;
}

/** Returns `call`, `platform items list`, `result of list_items`, or `engines.node`. */
function nameIn(signature: string): string {
  const typescript =
    /^(?:export |declare |abstract |default )*(?:class|function|interface|type|const|enum|namespace) ([\w$.]+)/;
  const [, name = signature.replace(/ \{.*$|: (?:required|optional)$/, "")] =
    typescript.exec(signature) ?? /^(?:command|tool) ([\w -]+\w)/.exec(signature) ?? [];
  return name;
}

function addedLines(was: string, is: string): readonly Line[] | undefined {
  const old = was.split("\n");
  const added = linesIn(is).filter(({ line }) => {
    if (line !== old[0]) return true;
    old.shift();
    return false;
  });
  return old.length === 0 ? added : undefined;
}

function linesIn(text: string): readonly Line[] {
  return [...text.matchAll(/.+/g)].map(({ 0: line, index }) => ({ line, index }));
}

/** Whether a value goes from the caller to the package, or back. */
type Direction = "input" | "output";

/**
 * Returns the directions in which values of declarations go, by name. What is no type is output, and what it mentions goes where its place
 * says: each parameter list turns the direction. A type that no function mentions is input, because nothing shows that it is not; so is one
 * with the name of options, which may be a type argument.
 */
function directionsOf(texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<Direction>> {
  const found = new Map<string, Set<Direction>>();
  const visit = (name: string, direction: Direction): void => {
    const [text, known] = [texts.get(name), found.get(name) ?? new Set<Direction>()];
    if (text === undefined || known.has(direction)) return;
    found.set(name, known.add(direction));
    for (const { token, depth } of tokensIn(text)) visit(token, depth % 2 === 0 ? direction : opposite[direction]);
  };
  // Callers also write what is in a command, in its environment, and in the parameters of a tool.
  const isType = (text: string) =>
    /^(?:(?:export |declare )*(?:interface|type)|command|environment of|tool) /m.test(text);
  for (const [name, text] of texts) if (!isType(text)) visit(name, "output");
  for (const [name, text] of texts)
    if (isType(text) && (/(?:Options|Init|Input)$/.test(name) || !found.has(name))) visit(name, "input");
  return found;
}

const opposite = { input: "output", output: "input" } as const;

/** Reports whether callers create what is at an index of a declaration whose values go in these directions. */
function isInputAt(text: string, index: number, directions: ReadonlySet<Direction>): boolean {
  const { depth = 0 } = [...tokensIn(text)].find((token) => token.index >= index) ?? {};
  return directions.has(depth % 2 === 0 ? "input" : "output");
}

/** Yields the names in a declaration, each with the number of parameter lists around it. */
function* tokensIn(text: string) {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/"[^"]*"|[A-Za-z_$][\w$]*|[()]/g)) {
    if (token === "(") open.push(isParameterList(text.slice(index)) ? 1 : 0);
    else if (token === ")") open.pop();
    else yield { token, index, depth: open.reduce((sum, each) => sum + each, 0) };
  }
}

/** Parentheses also group types: `(string | number)[]`. */
function isParameterList(text: string): boolean {
  return /^\(\s*(?:\)|\.{3}|[\w$]+\??\s*:|[{[][^)]*?[}\]]\??\s*:)/.test(text);
}
