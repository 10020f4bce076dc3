import type { Schema } from "@bufbuild/protoplugin";
import { readClientApi } from "./client-api.ts";
import { connectEntry } from "./connect-entry.ts";
import { jsonEntry } from "./json-entry.ts";
import { operationsModule } from "./operations.ts";

/** Generates the methods of both entries of the client, with their types. */
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
