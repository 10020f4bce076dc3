import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Insertion } from "./insertion.ts";
import { kebab, snake } from "./names.ts";

/** The operation to add, in the spelling of the proto: `{ service: "ItemService", method: "ListItems" }`. */
export interface NewOperation {
  readonly service: string;
  readonly method: string;
}

/** What a new operation changes. Paths start at the root of the workspace. */
export interface Plan {
  /** The new files, each with its template. */
  readonly files: readonly { readonly path: string; readonly template: string }[];
  /** What is added to files that exist. */
  readonly insertions: readonly Insertion[];
}

const server = "packages/server/src";

/** Plans the files of a new operation. A proto file or a service that exists is extended. */
export function planOperation(root: string, { service, method }: NewOperation): Plan {
  const name = kebab(method);
  const proto = `proto/platform/v1/${snake(service)}.proto`;
  const rpc = `${server}/rpc/${kebab(service)}.ts`;
  const isNew = (path: string) => !existsSync(join(root, path));
  return {
    files: [
      ...(isNew(proto) ? [{ path: proto, template: "service.proto.hbs" }] : []),
      { path: `${server}/domain/${name}.ts`, template: "rule.ts.hbs" },
      { path: `${server}/domain/${name}.test.ts`, template: "rule.test.ts.hbs" },
      { path: `${server}/operations/${name}.ts`, template: "operation.ts.hbs" },
      ...(isNew(rpc) ? [{ path: rpc, template: "service.ts.hbs" }] : []),
      { path: `${server}/wire/${name}.test.ts`, template: "wire.test.ts.hbs" },
      { path: `apps/platform/src/client-entries/${name}.test.ts`, template: "client.test.ts.hbs" },
      { path: `.changeset/${name}.md`, template: "changeset.md.hbs" },
    ],
    insertions: [
      ...(isNew(proto) ? [] : intoProto(proto)),
      ...(isNew(rpc) ? intoPlatform : intoService(rpc)),
      ...intoOperations,
    ],
  };
}

function intoProto(path: string): readonly Insertion[] {
  return [
    { path, place: "the end of the service", before: /\n\}\n(?=[\s\S]*?\nmessage )/, text: "\n\n{{> rpc}}" },
    { path, place: "the end of the file", before: /$/, text: "\n{{> messages}}" },
  ];
}

function intoService(path: string): readonly Insertion[] {
  return [
    {
      path,
      place: "the imports of the operations",
      before: /(?<=\n)import type \{ create/,
      text: 'import type { create{{method}} } from "../operations/{{kebab method}}.js";\n',
    },
    {
      path,
      place: "the last of the dependencies, `validate`",
      before: /(?<=\n) {2}readonly validate: /,
      text: "  readonly {{camel method}}: ReturnType<typeof create{{method}}>;\n",
    },
    {
      path,
      place: "the docstring of the factory",
      before: /(?<=\n)\/\*\* Creates /,
      text: 'const {{camel method}}Error = rpcErrorOf("platform.v1.{{service}}/{{method}}");\n\n',
    },
    { path, place: "the parameters of the factory", before: /,\s+validate,?\s+\}: /, text: ", {{camel method}}" },
    { path, place: "the end of the methods", before: /\n {2}\};\n\}\n/, text: "\n{{> method}}" },
  ];
}

const platform = `${server}/platform.ts`;
const intoPlatform: readonly Insertion[] = [
  {
    path: platform,
    place: "the import of the services",
    before: / \} from "@platform-rpc\/types";/,
    text: ", {{service}}",
  },
  {
    path: platform,
    place: "the import of createVaultService",
    before: /import \{ createVaultService \}/,
    text: 'import { create{{service}} } from "./rpc/{{kebab service}}.js";\n',
  },
  {
    path: platform,
    place: "the list of the implemented services",
    before: /(?<=const implemented = \[[^\]]*)\]/,
    text: ", {{service}}",
  },
  {
    path: platform,
    place: "the route of VaultService",
    before: /(?<=\n) {6}router\.service\(VaultService,/,
    text: "      router.service({{service}}, create{{service}}({ ...operations, validate }));\n",
  },
];

const operations = `${server}/operations/operations.ts`;
const intoOperations: readonly Insertion[] = [
  {
    path: `${server}/index.ts`,
    place: "the export of ListChangesInput",
    before: /(?<=\n)export type \{ ListChangesInput/,
    text: 'export type { {{method}}Input, {{method}}Result } from "./operations/{{kebab method}}.js";\n',
  },
  {
    path: operations,
    place: "the end of the imports",
    before: /(?<=\nimport [^\n]*\n)\n(?:\/\*\*|export )/,
    text: 'import { create{{method}} } from "./{{kebab method}}.js";\n',
  },
  {
    path: operations,
    place: "the end of createOperations",
    before: /(?<=export function createOperations[\s\S]*)\n {2}\};/,
    text: "\n    /** {{service}}.{{method}}. */\n    {{camel method}}: create{{method}}(deps),",
  },
];
