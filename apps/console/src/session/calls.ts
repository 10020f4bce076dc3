import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createPlatformTransport, type PlatformClientOptions, type TokenProvider } from "@platform-rpc/client";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { fetchToken } from "./session.js";

/** How the console calls the platform. */
export interface Calls {
  /** The member API, on the accounts origin. */
  readonly member: Transport;
  /** The public API. */
  readonly api: Transport;
  readonly vaults: Client<typeof MemberVaultService>;
}

/** Creates the transports. Their tokens stay in memory. */
export function createCalls(apiUrl: string): Calls {
  const token: TokenProvider = ({ signal }) => fetchToken(signal);
  // The console shows errors itself.
  const options: PlatformClientOptions = { token, logLevel: "off" };
  const member = createPlatformTransport({ baseUrl: location.origin, ...options });
  return {
    member,
    api: createPlatformTransport({ baseUrl: apiUrl, ...options }),
    vaults: createClient(MemberVaultService, member),
  };
}
