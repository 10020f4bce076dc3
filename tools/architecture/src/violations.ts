import { posix } from "node:path";
import { type Arrow, arrows, server, serverTests } from "./arrows.ts";
import { computed, type Import, type Module } from "./module.ts";

const packages = [server, ...Object.keys(arrows).filter((place) => !place.startsWith("server/"))];
const drawers = /^(utils?|helpers?|common|misc|shared|lib)(\.[cm]?[jt]sx?)?$/;

/** Every breach of the arrows and of the manners that imports, exports and names can show. */
export function violationsOf(module: Module): readonly string[] {
  const faults = [...faultsOf(module)];
  return faults.map((fault) => `${module.path} ${fault}`);
}

function* faultsOf(module: Module): Generator<string> {
  const place = placeOf(module.path);
  const arrow = isTestCode(module.path) ? serverTests : arrows[place];
  if (arrow === undefined) {
    yield `is in ${place}, which has no arrow: give it one in ARCHITECTURE.md and in tools/architecture/src/arrows.ts`;
  } else {
    for (const one of module.imports) {
      if (!allows(arrow, place, module.path, one))
        yield `may not import ${one.specifier}${one.typeOnly ? " (type)" : ""}`;
    }
  }
  if (module.exportsAll) yield "exports *: name what it exports";
  if (module.exportsDefault) yield "has a default export: name it";
  if (module.path.split("/").some((part) => drawers.test(part))) yield "is in a drawer: name the concept";
}

function allows(arrow: Arrow, place: string, path: string, { specifier, typeOnly }: Import): boolean {
  if (specifier === computed) return false;
  const target = targetOf(path, specifier);
  if (target === undefined)
    return arrow.outside === "anything" || arrow.outside.some((name) => covers(name, specifier));
  // Another package is reached by its name, so that its index stays its only listener.
  if (specifier.startsWith(".") && packageOf(target) !== packageOf(place)) return false;
  if (arrow.to.includes("server/") && target.startsWith("server/")) return true;
  return target === place || arrow.to.includes(target) || (typeOnly && (arrow.toTypesOf ?? []).includes(target));
}

/** The place in this workspace that an import leads to, if it leads to one. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return placeOf(posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts"));
  const [named, name] = /^@platform-rpc\/([^/]+)/.exec(specifier) ?? [];
  return named && (packages.find((one) => one.endsWith(`/${name}`)) ?? named);
}

function covers(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith(":") ? name : `${name}/`);
}

/** "packages/server/src/http/listener.ts" is in "server/http"; a file of any other package is in its package. */
export function placeOf(path: string): string {
  const [group, name, src, part, ...rest] = path.split("/");
  if (`${group}/${name}` !== server || src !== "src") return `${group}/${name}`;
  return rest.includes("testing") ? `server/${part}/testing` : `server/${part}`;
}

function packageOf(place: string): string {
  return place.startsWith("server/") ? server : place;
}

/** A test of the server, or what only its tests use: wire/, which speaks to it over sockets, and testing/ inside a layer. */
function isTestCode(path: string): boolean {
  const [part, ...rest] = path.startsWith(`${server}/src/`) ? path.split("/").slice(3) : [];
  return part !== undefined && (part === "wire" || rest.includes("testing") || path.endsWith(".test.ts"));
}
