import { posix } from "node:path";
import { type Arrow, arrows, layered, testArrows, testFolders } from "./arrows.ts";
import { computed, type Import, type Module } from "./module.ts";

const layers = Object.values(layered);
const packages = [
  ...Object.keys(layered),
  ...Object.keys(arrows).filter((place) => !layers.some((layer) => place.startsWith(`${layer}/`))),
];
const nestedTestFolder = /^(fixtures|testing)$/;
const genericNames = /^(utils?|helpers?|common|misc|shared|lib)(\.[cm]?[jt]sx?)?$/;

/** Returns every violation of the arrows and of the rules for exports and names. */
export function violationsOf(module: Module): readonly string[] {
  const problems = [...problemsOf(module)];
  return problems.map((problem) => `${module.path} ${problem}`);
}

function* problemsOf(module: Module): Generator<string> {
  const place = placeOf(module.path);
  const arrow = isTestCode(module.path) ? testArrows[place.replace(/\/.*/, "")] : arrows[place];
  if (arrow === undefined) {
    yield `is in ${place}, which has no arrow: give it one in ARCHITECTURE.md and in tools/architecture/src/arrows.ts`;
  } else {
    for (const one of module.imports) {
      if (!allows(arrow, place, module.path, one))
        yield `must not import ${one.specifier}${one.typeOnly ? " (type)" : ""}`;
    }
    if (!allowsNode(arrow)) yield* module.nodeGlobals.map((name) => `must not use ${name}, which only Node has`);
  }
  if (module.exportsAll) yield "has `export *`: list the exports by name";
  if (module.exportsDefault) yield "has a default export: use a named export";
  if (module.path.split("/").some((part) => genericNames.test(part)))
    yield "has a generic file or folder name: name the concept";
}

function allows(arrow: Arrow, place: string, path: string, { specifier, typeOnly }: Import): boolean {
  if (specifier === computed) return false;
  const target = targetOf(path, specifier);
  if (!typeOnly && arrow.outsideTypes?.includes(specifier)) return false;
  if (target === undefined)
    return arrow.outside === "anything" || arrow.outside.some((name) => covers(name, specifier));
  // Another package must be imported by its name, through its index.
  if (specifier.startsWith(".") && packageOf(target) !== packageOf(place)) {
    return arrow.unpublished?.some((folder) => moduleOf(path, specifier).startsWith(folder)) === true;
  }
  if (arrow.to.some((to) => to.endsWith("/") && target.startsWith(to))) return true;
  return target === place || arrow.to.includes(target) || (typeOnly && (arrow.toTypesOf ?? []).includes(target));
}

function allowsNode({ outside }: Arrow): boolean {
  return outside === "anything" || outside.some((name) => name.startsWith("node:"));
}

/** Returns the place in this workspace that an import resolves to; undefined when it is outside. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return placeOf(moduleOf(path, specifier));
  const [named, name] = /^@platform-rpc\/([^/]+)/.exec(specifier) ?? [];
  return named && (packages.find((one) => one.endsWith(`/${name}`)) ?? named);
}

/** Returns the path of the module that a relative import names. */
function moduleOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
}

function covers(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith(":") ? name : `${name}/`);
}

/** Returns the place of a path: "server/http" for "packages/server/src/http/listener.ts", "client/test", or the package if it has no layers. */
export function placeOf(path: string): string {
  const [group, name, src, part, ...rest] = path.split("/");
  const layer = layered[`${group}/${name}`];
  if (layer !== undefined && src === "test") return `${layer}/test`;
  if (layer === undefined || src !== "src") return `${group}/${name}`;
  const testFolder = rest.find((folder) => nestedTestFolder.test(folder));
  return testFolder === undefined ? `${layer}/${part}` : `${layer}/${part}/${testFolder}`;
}

function packageOf(place: string): string {
  return Object.keys(layered).find((name) => place.startsWith(`${layered[name]}/`)) ?? place;
}

/** Returns whether a path is test code of a layered package: a test, its folders of test code, or one inside a layer. */
function isTestCode(path: string): boolean {
  if (Object.keys(layered).some((name) => path.startsWith(`${name}/test/`))) return arrows[placeOf(path)] === undefined;
  const folder = Object.keys(layered).find((name) => path.startsWith(`${name}/src/`));
  if (folder === undefined) return false;
  const [part, ...rest] = path.split("/").slice(3);
  const isInTestFolder = part === testFolders[folder] || rest.some((name) => nestedTestFolder.test(name));
  return isInTestFolder || path.endsWith(".test.ts");
}
