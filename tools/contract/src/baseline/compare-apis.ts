import type { Level } from "./changesets.ts";
import type { PackageApis } from "./package-apis.ts";

/** A change of a package's TypeScript API or manifest. */
export interface ApiChange {
  readonly package: string;
  /** The version bump that the change requires. */
  readonly level: Exclude<Level, "patch">;
  /** The name that a changeset must contain. */
  readonly word: string;
  readonly what: string;
}

/** Compares the APIs of packages. A new package is not a change. */
export function compareApis(released: PackageApis, current: PackageApis): readonly ApiChange[] {
  return Object.entries(released).flatMap(([name, was]): readonly ApiChange[] => {
    const is = current[name];
    if (is === undefined)
      return [{ package: name, level: "major", word: name, what: `${name} is no longer published.` }];
    const of = (level: ApiChange["level"], word: string, what: string) => ({ package: name, level, word, what });
    const [before, after] = [byName(was.declarations), byName(is.declarations)];
    const removed = [...before].flatMap(([key, text]) => {
      const successor = after.get(key);
      if (successor === undefined) return [of("major", wordOf(key), `${name}: ${key} was removed.`)];
      if (successor === text) return [];
      return contains(successor, text)
        ? [of("minor", wordOf(key), `${name}: ${key} was extended.`)]
        : [of("major", wordOf(key), `${name}: ${key} was changed.`)];
    });
    const added = [...after.keys()]
      .filter((key) => !before.has(key))
      .map((key) => of("minor", wordOf(key), `${name}: ${key} was added.`));
    return [...removed, ...added, ...manifestChanges(was.manifest, is.manifest, of)];
  });
}

function* manifestChanges(
  was: Readonly<Record<string, string>>,
  is: Readonly<Record<string, string>>,
  of: (level: ApiChange["level"], word: string, what: string) => ApiChange,
): Generator<ApiChange> {
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [before, after] = [was[key], is[key]];
    if (before === after) continue;
    // A new peer or engine is a new requirement; a new entry or condition is an addition.
    const additive =
      before === undefined
        ? !/^(?:engines|peers)\./.test(key)
        : after === undefined && /^(?:engines|peers)\./.test(key);
    yield of(
      additive ? "minor" : "major",
      wordOf(key),
      `package.json: ${key} was ${before ?? "unset"} and is ${after ?? "unset"} now.`,
    );
  }
}

/** Returns declarations by entry, kind and name. Overloads are one declaration. */
function byName(declarations: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const declaration of declarations) {
    const [entry = "", ...lines] = declaration.split("\n");
    const text = lines.join("\n");
    const signature = lines.find((line) => !line.startsWith("//")) ?? "";
    const name =
      /^(?:export |declare |abstract |default )*(?:class|function|interface|type|const|enum|namespace) ([\w$]+)/.exec(
        signature,
      )?.[1];
    const key = `${entry} ${name ?? signature}`;
    found.set(key, found.has(key) ? `${found.get(key)}\n${text}` : text);
  }
  return found;
}

/** Reports whether a declaration contains all of these lines, in the same order. */
function contains(declaration: string, lines: string): boolean {
  const rest = declaration.split("\n").values();
  return lines.split("\n").every((line) => {
    for (const candidate of rest) if (candidate === line) return true;
    return false;
  });
}

function wordOf(key: string): string {
  return key.split(/[ >]+/).at(-1) ?? key;
}
