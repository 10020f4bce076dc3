import { createEcmaScriptPlugin, type Schema } from "@bufbuild/protoplugin";
import { generateClient } from "./generate-client.ts";
import { generateConnectV1Index, generateIndex } from "./generate-index.ts";
import { generateJsonWriters } from "./generate-json-writers.ts";
import { generateDescriptorSet, generateReasons, generateRegistry } from "./generate-server.ts";

/** The generators, by the value of the option `emit`. */
const emitters = {
  index: generateIndex,
  "index-connect-v1": generateConnectV1Index,
  packages: generatePackages,
} as const;
type Emit = keyof typeof emitters;

interface Options {
  readonly emit: Emit;
  /** The names of rules that differ from those of their operations. */
  readonly rules: ReadonlyMap<string, string>;
}

function generatePackages(schema: Schema<Options>): void {
  generateClient(schema, "client/src/gen");
  generateRegistry(schema, "server/src/gen", schema.options.rules);
  for (const [folder, visibility] of [
    ["server/src/gen", "public"],
    ["private/types-internal/src/gen", "private"],
  ] as const) {
    generateReasons(schema, folder, visibility);
    generateDescriptorSet(schema, folder, visibility);
    generateJsonWriters(schema, folder, visibility);
  }
}

/** The protoc plugin of this workspace. Generates what protoc-gen-es does not. */
export const plugin = createEcmaScriptPlugin<Options>({
  name: "protoc-gen-platform",
  version: "v1",
  parseOptions(given) {
    const { value: emit = "" } = given.find(({ key }) => key === "emit") ?? {};
    if (!isEmit(emit)) throw new Error(`The option emit must be one of ${Object.keys(emitters).join(", ")}.`);
    const rules = given.filter(({ key }) => key === "rule").map(({ value }) => value.split(":"));
    return { emit, rules: new Map(rules.map(([operation = "", rule = ""]) => [operation, rule])) };
  },
  generateTs(schema) {
    emitters[schema.options.emit](schema);
  },
});

function isEmit(value: string): value is Emit {
  return Object.hasOwn(emitters, value);
}
