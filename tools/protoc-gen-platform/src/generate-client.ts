import type { DescMessage } from "@bufbuild/protobuf";
import type { Schema } from "@bufbuild/protoplugin";
import { type ClientApi, isOwn, readClientApi } from "./client-api.ts";
import { connectEntry } from "./connect-entry.ts";
import { jsonEntry } from "./json-entry.ts";
import { notice } from "./source.ts";

export function generateClient(schema: Schema, folder: string): void {
  const api = readClientApi(schema);
  const [connect, json] = [connectEntry(api), jsonEntry(api)];
  const modules = {
    operations: operationsModule(api),
    "connect-types": connect.types,
    "connect-services": connect.services,
    "json-types": json.types,
    "json-services": json.services,
  };
  for (const [name, text] of Object.entries(modules)) schema.generateFile(`${folder}/${name}.ts`).print(text.trimEnd());
}

function operationsModule({ operations }: ClientApi): string {
  const constants = operations.map(({ desc, retrySafety, input }) => {
    const constant = {
      path: `${desc.parent.typeName}/${desc.name}`,
      retrySafety,
      fields: [...new Set(fieldNames(desc.input))],
      required: input.filter((each) => each.required).map(({ field }) => field.jsonName),
      secrets: input.filter(({ field }) => field.proto.options?.debugRedact).map(({ field }) => field.jsonName),
    };
    return `export const ${desc.localName}Operation: Operation = ${JSON.stringify(constant)};\n\n`;
  });
  const names = operations.map(({ desc }) => `${desc.localName}Operation`);
  return (
    `${notice}import type { Operation } from "../call/call.js";\n\n${constants.join("")}` +
    `export const operations: readonly Operation[] = [${names.join(", ")}];\n`
  );
}

/** The JSON names of a message's fields and, at every depth, of the messages that it contains. */
function fieldNames(message: DescMessage, around: readonly DescMessage[] = []): readonly string[] {
  if (!isOwn(message) || around.includes(message)) return [];
  return message.fields.flatMap((field) => [
    field.jsonName,
    ...(field.message ? fieldNames(field.message, [...around, message]) : []),
  ]);
}
