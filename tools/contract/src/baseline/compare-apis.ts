import type { Level } from "./changesets.ts";
import { directionsOf, isInputAt } from "./input-types.ts";
import { compareManifests } from "./manifests.ts";
import { isMigration } from "./migrations.ts";
import type { PackageApis } from "./package-apis.ts";

/** A change of what callers of a package rely on: its TypeScript API, programs, tools, defaults or manifest. */
export interface ApiChange {
  readonly package: string;
  /** The version bump that the change requires. */
  readonly level: Exclude<Level, "patch">;
  /** What changed, as a changeset must name it: `CallOptions.retry`, `engines.node`. */
  readonly name: string;
  readonly what: string;
}

type Differ = Pick<ApiChange, "level" | "name" | "what">;

/** Compares the APIs of packages. A new package is not a change. */
export function compareApis(released: PackageApis, current: PackageApis): readonly ApiChange[] {
  return Object.entries(released).flatMap(([name, was]): readonly ApiChange[] => {
    const is = current[name];
    if (is === undefined) return [{ package: name, level: "major", name, what: `${name} is no longer published.` }];
    const manifest = compareManifests(was.manifest, is.manifest).map((change) => ({
      level: change.level,
      name: change.name,
      what: `package.json: ${change.name} was ${change.was ?? "unset"} and is ${change.is ?? "unset"} now.`,
    }));
    const changes = [...compareDeclarations(was.declarations, is.declarations), ...manifest];
    return changes.map((change) => ({ ...change, package: name }));
  });
}

interface Declaration {
  /** The entry of the package that exports it, the program that has it, or `defaults`. */
  readonly entry: string;
  readonly name: string;
  /** Overloads are one declaration. */
  readonly text: string;
}

function compareDeclarations(released: readonly string[], current: readonly string[]): readonly Differ[] {
  const [before, after] = [byName(released), byName(current)];
  const directions = directionsOf(new Map([...after.values()].map(({ name, text }) => [name, text])));
  const changed = [...before].flatMap(([key, was]): readonly Differ[] => {
    const is = after.get(key);
    if (is === undefined) return [difference("major", was, "was removed")];
    if (is.text === was.text) return [];
    const amounts = amountsOf(was.text, is.text);
    if (amounts !== undefined) return [amountChange(is, amounts)];
    const extend = ({ line, index }: Line) =>
      extension(is, line, isInputAt(is.text, index, directions.get(is.name) ?? new Set()));
    return addedLines(was.text, is.text)?.map(extend) ?? memberChanges(was, is, extend);
  });
  const added = [...after].flatMap(([key, is]) => (before.has(key) ? [] : [difference("minor", is, "was added")]));
  return [...unique(changed), ...added];
}

function difference(level: Differ["level"], { entry, name }: Declaration, event: string, part = name): Differ {
  return { level, name: part, what: `${entry}: ${part} ${event}.` };
}

/** The numbers of a constant: a default or a bound. */
interface Amounts {
  readonly was: number;
  readonly is: number;
}

function amountsOf(was: string, is: string): Amounts | undefined {
  const [before, after] = [was, is].map((text) =>
    Number(/^const \S+ = (\d+|Infinity);$/.exec(text)?.[1] ?? Number.NaN),
  );
  return before === undefined || after === undefined || Number.isNaN(before + after)
    ? undefined
    : { was: before, is: after };
}

/** A caller who relies on a default or a maximum gets at least as much of a higher one, and may send as little of a lower minimum. */
function amountChange(declaration: Declaration, { was, is }: Amounts): Differ {
  const isMinimum = /\.(?:minimum|minLength)$/.test(declaration.name);
  const level = is > was === isMinimum ? "major" : "minor";
  return difference(level, declaration, `was ${was} and is ${is} now`);
}

/** A line of a declaration, and its index in the text. */
interface Line {
  readonly line: string;
  readonly index: number;
}

/** Returns the changes of a declaration that lost lines: of each member, if only members differ. */
function memberChanges(was: Declaration, is: Declaration, extend: (gained: Line) => Differ): readonly Differ[] {
  const [before, after] = [was, is].map(({ text }) => new Set(text.split("\n")));
  const lost = [...(before ?? [])].filter((line) => !after?.has(line)).map((line) => memberIn(line)?.member);
  const gained = linesIn(is.text).filter(({ line }) => !before?.has(line));
  // Its signature differs, or the order of its lines.
  if (lost.length === 0 || lost.includes(undefined)) return [difference("major", is, "was changed")];
  const replaced = new Set(gained.map(({ line }) => memberIn(line)?.member));
  return [
    ...lost.flatMap((member = "") =>
      difference("major", is, replaced.has(member) ? "was changed" : "was removed", partOf(is, member)),
    ),
    ...gained.filter(({ line }) => !lost.includes(memberIn(line)?.member)).map(extend),
  ];
}

/** A line that a declaration gained. Callers who create what contains it do not have a required member yet. */
function extension(declaration: Declaration, line: string, isInput: boolean): Differ {
  const found = memberIn(line);
  if (found === undefined) return difference("minor", declaration, "was extended");
  const name = partOf(declaration, found.member);
  return isInput && !found.optional
    ? difference("major", declaration, "was added and is required", name)
    : difference("minor", declaration, "was added", name);
}

function memberIn(line: string) {
  const [, member, optional] = /^\s+(?:readonly )?(?:get |set |static )?"?([\w$-]+)"?(\?)?\s*[:(<]/.exec(line) ?? [];
  return member === undefined ? undefined : { member, optional: optional !== undefined };
}

/** Returns `Options.retry`, or `platform login --json`. */
function partOf({ name }: Declaration, member: string): string {
  return `${name}${member.startsWith("-") ? " " : "."}${member}`;
}

function unique(changes: readonly Differ[]): readonly Differ[] {
  return [...new Map(changes.map((change) => [change.what, change])).values()];
}

/** Returns declarations by entry and name. */
function byName(declarations: readonly string[]): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const declaration of declarations) {
    if (isMigration(declaration)) continue;
    const [entry = "", ...lines] = declaration.split("\n");
    const signature = lines.find((line) => !line.startsWith("//")) ?? "";
    const name = nameIn(signature);
    const key = `${entry} ${name}`;
    const overloads = found.get(key);
    const text = lines.join("\n");
    found.set(key, { entry, name, text: overloads === undefined ? text : `${overloads.text}\n${text}` });
  }
  return found;
}

/** Returns `call`, `platform items list`, or `result of list_items`. */
function nameIn(signature: string): string {
  const typescript =
    /^(?:export |declare |abstract |default )*(?:class|function|interface|type|const|enum|namespace) ([\w$.]+)/;
  const [, name = signature.replace(/ \{.*$/, "")] =
    typescript.exec(signature) ?? /^(?:command|tool) ([\w -]+\w)/.exec(signature) ?? [];
  return name;
}

/** Returns the lines that a declaration gained. Undefined when it lost one or has another order. */
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
