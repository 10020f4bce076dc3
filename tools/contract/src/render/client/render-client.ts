import type { PublishedApi } from "../published-api.ts";
import { renderConnectEntry } from "./connect-entry.ts";
import { renderJsonEntry } from "./json-entry.ts";
import { renderOperations } from "./operations.ts";

/** The generated modules of the client, in this folder. */
export const clientFolder = "packages/client/src/gen";

/** Returns the generated modules of the client by their paths from the root of the workspace. */
export function renderClient(api: PublishedApi): ReadonlyMap<string, string> {
  const connect = renderConnectEntry(api);
  const json = renderJsonEntry(api);
  return new Map([
    [`${clientFolder}/operations.ts`, renderOperations(api)],
    [`${clientFolder}/connect-types.ts`, connect.types],
    [`${clientFolder}/connect-services.ts`, connect.services],
    [`${clientFolder}/json-types.ts`, json.types],
    [`${clientFolder}/json-services.ts`, json.services],
  ]);
}
