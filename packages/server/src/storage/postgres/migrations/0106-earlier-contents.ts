import { checksum } from "../schema/checksum.js";
import { commit } from "../schema/commit.js";
import { load } from "../schema/load.js";

/**
 * Adds the contents that were replaced, and replaces the functions that load and commit. Processes of the version before call them, too:
 * an item whose content one of them replaces loses its earlier contents, because the salt of their key is replaced with it.
 */
export const earlierContents: string = `
CREATE TABLE earlier_contents (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  item_id text NOT NULL,
  earlier bytea NOT NULL,
  ${checksum("earlier_contents")},
  PRIMARY KEY (tenant_id, vault_id, item_id)
);
${load}
${commit}
`;
