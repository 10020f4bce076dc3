import { type Client, createClient } from "@connectrpc/connect";
import { createPlatformClient, createPlatformTransport, type PlatformClient } from "@platform-rpc/client";
import type { RenewableSession } from "@platform-rpc/client/session";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";

/** The clients of the signed-in person. */
export interface Clients {
  /** The public API. */
  readonly platform: Pick<PlatformClient, "vault">;
  /** The API for members of vaults, at the accounts origin. */
  readonly member: Client<typeof MemberVaultService>;
}

/** Creates the clients of a session. */
export function createClients(
  { apiUrl, issuer }: { readonly apiUrl: string; readonly issuer: string },
  { token }: RenewableSession,
): Clients {
  return {
    platform: createPlatformClient({ baseUrl: apiUrl, token }),
    // A call that waits for changes takes up to 25 s.
    member: createClient(MemberVaultService, createPlatformTransport({ baseUrl: issuer, token, timeoutMs: 40_000 })),
  };
}
