import { posix } from "node:path";
import { type Arrow, arrows, layered, testArrows } from "./arrows.ts";
import { computed, type Import, type Module } from "./module.ts";

const layers = Object.values(layered);
const packages = [
  ...Object.keys(layered),
  ...Object.keys(arrows).filter((place) => !layers.some((layer) => place.startsWith(`${layer}/`))),
];
const drawers = /^(utils?|helpers?|common|misc|shared|lib)(\.[cm]?[jt]sx?)?$/;

/** Every breach of the arrows and of the manners that imports, exports and names can show. */
export function violationsOf(module: Module): readonly string[] {
  const faults = [...faultsOf(module)];
  return faults.map((fault) => `${module.path} ${fault}`);
}

function* faultsOf(module: Module): Generator<string> {
  const place = placeOf(module.path);
  const arrow = isTestCode(module.path) ? testArrows[place.replace(/\/.*/, "")] : arrows[place];
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
  if (arrow.to.some((to) => to.endsWith("/") && target.startsWith(to))) return true;
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

/** "packages/server/src/http/listener.ts" is in "server/http"; a file of a package without layers is in its package. */
export function placeOf(path: string): string {
  const [group, name, src, part, ...rest] = path.split("/");
  const layer = layered[`${group}/${name}`];
  if (layer === undefined || src !== "src") return `${group}/${name}`;
  return rest.includes("testing") ? `${layer}/${part}/testing` : `${layer}/${part}`;
}

function packageOf(place: string): string {
  return Object.keys(layered).find((name) => place.startsWith(`${layered[name]}/`)) ?? place;
}

/** A test of a layered package, or what only its tests use: wire/ of the server, and testing/ inside a layer. */
function isTestCode(path: string): boolean {
  const folder = Object.keys(layered).find((name) => path.startsWith(`${name}/src/`));
  if (folder === undefined) return false;
  const [part, ...rest] = path.split("/").slice(3);
  return part === "wire" || rest.includes("testing") || path.endsWith(".test.ts");
}
