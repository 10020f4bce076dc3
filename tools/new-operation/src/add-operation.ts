import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodePlop, { type ActionType, type PlopGenerator } from "node-plop";

const templates = fileURLToPath(new URL("../templates", import.meta.url));

/** The operation to add, in the spelling of the proto: `{ service: "ItemService", method: "ListItems" }`. */
export interface NewOperation {
  readonly service: string;
  readonly method: string;
}

/**
 * Adds the files of a new public operation to the workspace at `root`: proto, rule, operation, service, tests and changeset.
 * Files that exist are extended, never replaced. Each part that you have to write is marked TODO and fails a check until then.
 *
 * @returns the changed paths, and the failures.
 */
export async function addOperation(
  root: string,
  { service, method }: NewOperation,
): ReturnType<PlopGenerator["runActions"]> {
  const plop = await nodePlop("", { destBasePath: root, force: false });
  plop.setHelper("kebab", (text: string) => kebab(text));
  plop.setHelper("camel", (text: string) => camel(text));
  for (const name of ["rpc", "messages", "method"]) plop.setPartial(name, template(`${name}.hbs`));
  const generator = plop.setGenerator("operation", {
    description: "A public operation",
    prompts: [],
    actions: actions(root, service, method),
  });
  return generator.runActions({ service, method });
}

const server = "packages/server/src";

function actions(root: string, service: string, method: string): ActionType[] {
  const rule = kebab(method);
  const proto = `proto/platform/v1/${snake(service)}.proto`;
  const implementation = `${server}/rpc/${kebab(service)}.ts`;
  const protoExists = existsSync(join(root, proto));
  const serviceExists = existsSync(join(root, implementation));
  return [
    // New files first: if one exists already, no existing file is changed.
    add(`${server}/domain/${rule}.ts`, "rule.ts.hbs"),
    add(`${server}/domain/${rule}.test.ts`, "rule.test.ts.hbs"),
    add(`${server}/operations/${rule}.ts`, "operation.ts.hbs"),
    add(`${server}/wire/${rule}.test.ts`, "wire.test.ts.hbs"),
    add(`.changeset/${rule}.md`, "changeset.md.hbs"),
    ...(protoExists ? extendProto(proto) : [add(proto, "service.proto.hbs")]),
    ...(serviceExists ? extendService(implementation) : [add(implementation, "service.ts.hbs"), ...registerService()]),
    ...registerOperation(rule),
  ];
}

/** Adds the method at the end of the service, and its messages at the end of the file. */
function extendProto(path: string): ActionType[] {
  return [
    modify(path, /\n\}\n(?=[\s\S]*?\nmessage )/, `\n\n{{> rpc}}\n}\n`),
    modify(path, /\s*$/, `\n\n{{> messages}}\n`),
  ];
}

function registerOperation(rule: string): ActionType[] {
  const path = `${server}/operations/operations.ts`;
  return [
    modify(
      `${server}/index.ts`,
      /(\nexport type \{ ListChangesInput)/,
      `\nexport type { {{method}}Input, {{method}}Result } from "./operations/${rule}.js";$1`,
    ),
    modify(path, /(\nimport [^\n]*\n)(?=\n(?:\/\*\*|export ))/, `$1import { create{{method}} } from "./${rule}.js";\n`),
    modify(
      path,
      /(export function createOperations[\s\S]*?)\n {2}\};/,
      "$1\n    /** {{service}}.{{method}}. */\n    {{camel method}}: create{{method}}(deps),\n  };",
    ),
  ];
}

function extendService(path: string): ActionType[] {
  return [
    modify(
      path,
      /(\nimport type \{ create)/,
      '\nimport type { create{{method}} } from "../operations/{{kebab method}}.js";$1',
    ),
    modify(
      path,
      /(\n {2}readonly validate: )/,
      "\n  readonly {{camel method}}: ReturnType<typeof create{{method}}>;$1",
    ),
    modify(path, /(, validate \}: )/, ", {{camel method}}$1"),
    modify(path, /\n {2}\};\n\}\n/, "\n{{> method}}\n  };\n}\n"),
  ];
}

function registerService(): ActionType[] {
  const path = `${server}/platform.ts`;
  return [
    modify(path, /(\} from "@platform-rpc\/types";)/, ", {{service}} $1"),
    modify(
      path,
      /(import \{ createVaultService \})/,
      'import { create{{service}} } from "./rpc/{{kebab service}}.js";\n$1',
    ),
    modify(path, /(const publicServices = \[[^\]]*)\]/, "$1, {{service}}]"),
    modify(
      path,
      /(\n {6}router\.service\(VaultService,)/,
      "\n      router.service({{service}}, create{{service}}({ ...operations, validate }));$1",
    ),
  ];
}

function add(path: string, file: string): ActionType {
  return { type: "add", path, template: template(file) };
}

/** Extends a file. Fails when the pattern is not in it: the code changed, and the pattern must follow. */
function modify(path: string, pattern: RegExp, text: string): ActionType {
  return { type: "modify", path, pattern, template: text };
}

function template(file: string): string {
  return readFileSync(join(templates, file), "utf8");
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}

function snake(name: string): string {
  return kebab(name).replaceAll("-", "_");
}

function camel(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
