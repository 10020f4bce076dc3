import type { Contract } from "../model/contract.ts";
import { errorPages } from "./error-pages.ts";
import { openapiDocument } from "./openapi/document.ts";
import { publishedApis } from "./published-api.ts";

/** The folders of the documents. Everything in them is generated. */
export const documentFolders = ["apps/reference/src/gen", "docs/errors"] as const;

/**
 * Returns the documents of a contract by their paths from the root of the workspace: of v1 `openapi.json` and
 * `docs/errors/<REASON>.md`, of another version `openapi.v2.json` and `docs/errors/v2/<REASON>.md`.
 *
 * @throws TypeError when the contract contains something that the documents cannot express.
 */
export function renderDocuments(contract: Contract): ReadonlyMap<string, string> {
  const [openapiFolder, errorFolder] = documentFolders;
  return new Map(
    publishedApis(contract).flatMap((api) => {
      const first = api.version === "v1";
      const openapi = `${openapiFolder}/openapi${first ? "" : `.${api.version}`}.json`;
      const folder = first ? errorFolder : `${errorFolder}/${api.version}`;
      return [
        [openapi, `${JSON.stringify(openapiDocument(api), undefined, 2)}\n`] as const,
        ...[...errorPages(api)].map(([name, page]) => [`${folder}/${name}`, page] as const),
      ];
    }),
  );
}
