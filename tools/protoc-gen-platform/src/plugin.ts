import { createEcmaScriptPlugin, type Schema } from "@bufbuild/protoplugin";
import { generateConnectV1Index, generateIndex } from "./generate-index.ts";

/** The generators, by the value of the option `emit`. */
const emitters = { index: generateIndex, "index-connect-v1": generateConnectV1Index } as const;
type Emit = keyof typeof emitters;

interface Options {
  readonly emit: Emit;
}

/** The protoc plugin of this workspace. Generates what protoc-gen-es does not. */
export const plugin = createEcmaScriptPlugin<Options>({
  name: "protoc-gen-platform",
  version: "v1",
  parseOptions(given) {
    const emit = given.find(({ key }) => key === "emit")?.value;
    if (!isEmit(emit)) throw new Error(`The option emit must be one of ${Object.keys(emitters).join(", ")}.`);
    return { emit };
  },
  generateTs(schema: Schema<Options>) {
    emitters[schema.options.emit](schema);
  },
});

function isEmit(value: string | undefined): value is Emit {
  return value !== undefined && Object.hasOwn(emitters, value);
}
