import { z } from "zod";

const text = z.record(z.string(), z.string());

export const manifestSchema = z.object({
  name: z.string(),
  private: z.boolean().default(false),
  type: z.string().default("commonjs"),
  main: z.string().optional(),
  types: z.string().optional(),
  bin: text.default({}),
  os: z.array(z.string()).default([]),
  cpu: z.array(z.string()).default([]),
  engines: text.default({}),
  dependencies: text.default({}),
  peerDependencies: text.default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
  exports: z.json().optional(),
});

/** The parts of a package.json that users rely on. */
export type Manifest = z.infer<typeof manifestSchema>;

/** Promises by their names, which say where they are in package.json: `peerDependencies["pg"]`, `exports["."].import`. */
export type Promises = Readonly<Record<string, string>>;

/**
 * Lists what a package.json promises. A dependency is listed with its major version if it is in `peers`, the peers of any published
 * package: users who have another major version have it twice.
 */
export function promisesOf(manifest: Manifest, peers: ReadonlySet<string>): Promises {
  const { type, main, types, os, cpu, engines, bin, peerDependencies, peerDependenciesMeta } = manifest;
  const named = (part: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => [`${part}["${name}"]`, value] as const);
  const dependencies = Object.entries(manifest.dependencies).filter(([name]) => peers.has(name));
  const optional = Object.entries(peerDependenciesMeta).filter((entry) => entry[1].optional);
  return Object.fromEntries([
    ["type", type],
    ...(main === undefined ? [] : [["main", main]]),
    ...(types === undefined ? [] : [["types", types]]),
    ...(os.length === 0 ? [] : [["os", os.join(" ")]]),
    ...(cpu.length === 0 ? [] : [["cpu", cpu.join(" ")]]),
    ...Object.entries(engines).map(([name, range]) => [`engines.${name}`, range]),
    ...Object.keys(bin).map((name) => [`bin.${name}`, "a command"]),
    ...named("peerDependencies", peerDependencies),
    ...optional.map(([name]) => [`peerDependenciesMeta["${name}"]`, "optional"]),
    ...named("dependencies", Object.fromEntries(dependencies.map(([name, range]) => [name, majorOf(range)]))),
    ...conditionsIn("exports", manifest.exports ?? null),
  ]);
}

function majorOf(range: string): string {
  return /\d+/.exec(range)?.[0] ?? range;
}

/** Paths to targets: `exports["."].import.types`. */
function conditionsIn(path: string, value: z.infer<ReturnType<typeof z.json>>): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    conditionsIn(/^\w+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`, inner),
  );
}

/** A promise of a package.json that differs. Undefined: not set. */
interface ManifestChange {
  readonly name: string;
  readonly level: "minor" | "major";
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** Compares what a package.json promises. What cannot be compared, such as two targets, is a major change. */
export function compareManifests(released: Promises, current: Promises): readonly ManifestChange[] {
  return [...new Set([...Object.keys(released), ...Object.keys(current)])].flatMap((name) => {
    const [was, is] = [released[name], current[name]];
    const peer = name.replace(/^peerDependenciesMeta/, "peerDependencies");
    // Whether a peer is optional is a part of the peer, which is reported when it is new or gone.
    const isPartOfPeer = peer !== name && (released[peer] === undefined || current[peer] === undefined);
    if (was === is || isPartOfPeer) return [];
    return [{ name, level: allows(name, was, is, current) ? "minor" : "major", was, is }] as const;
  });
}

/** Reports whether what worked with the old promise works with the new one. */
function allows(name: string, was: string | undefined, is: string | undefined, current: Promises): boolean {
  if (name === "type") return false;
  // A requirement that is gone; a promise that is new.
  const isRequirement = /^(?:os|cpu|engines\..*|peerDependencies\[.*)$/.test(name);
  if (is === undefined) return isRequirement || name.startsWith("dependencies[");
  if (was === undefined) {
    const meta = name.replace(/^peerDependencies\[/, "peerDependenciesMeta[");
    return !isRequirement || (meta !== name && current[meta] === "optional");
  }
  if (!isRequirement) return false;
  return /^(?:os|cpu)$/.test(name) ? containsAll(is.split(" "), was.split(" ")) : admits(is, was);
}

/** Excluded systems, such as `!win32`, are not compared. */
function containsAll(systems: readonly string[], all: readonly string[]): boolean {
  return ![...systems, ...all].some((system) => system.startsWith("!")) && all.every((each) => systems.includes(each));
}

/** Reports whether a range of versions admits every version of another. False where that cannot be told. */
function admits(range: string, other: string): boolean {
  const alternatives = (text: string) => text.split("||").map((each) => each.trim());
  return alternatives(other).every((narrow) =>
    alternatives(range).some((wide) => narrow === wide || covers(wide, narrow)),
  );
}

function covers(wide: string, narrow: string): boolean {
  const [from, start] = [parseRange(wide), parseRange(narrow)];
  if (from === undefined || start === undefined || isBefore(start.version, from.version)) return false;
  if (from.operator === ">=") return true;
  const [major = 0] = from.version;
  return start.operator === "^" && major > 0 && major === start.version[0];
}

function parseRange(range: string) {
  const [, operator, ...version] = /^(\^|>=)(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? [];
  return operator === undefined ? undefined : { operator, version: version.map((part) => Number(part ?? 0)) };
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const difference = version.map((part, index) => part - (other[index] ?? 0)).find((each) => each !== 0);
  return difference !== undefined && difference < 0;
}
