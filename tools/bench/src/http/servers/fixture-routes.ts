import type { ConnectRouter } from "@connectrpc/connect";
import { cursorMessage, itemMessage, type TokenClaims } from "@platform-rpc/server";
import { VaultService } from "@platform-rpc/types";
import { fixtureItem } from "../fixture.ts";

/** The service with the fixed response, for every host of Connect services. */
export function fixtureRoutes(router: ConnectRouter): void {
  router.service(VaultService, {
    deleteItem: ({ itemId }) => ({
      item: itemMessage({ ...fixtureItem, itemId }),
      cursor: cursorMessage(fixtureItem.vaultId, fixtureItem.sequence),
    }),
  });
}

/** The claims of every caller, where tokens are not checked. */
export const claims: TokenClaims = {
  tenantId: "tenant-1",
  principalId: "principal-1",
  oauthClientId: "client-1",
  tokenId: "token-1",
  grantId: "grant-1",
  scopes: ["vault.items:delete"],
  expiresAt: Number.MAX_SAFE_INTEGER,
};
