import { randomUUID } from "node:crypto";
import type * as mcp from "@modelcontextprotocol/client";

/** What an SDK of MCP keeps for a client, as an application does. */
export function createProvider({
  accounts,
  clientId,
  redirectUri,
}: {
  readonly accounts: string;
  /** The id of a registered client, or the URL of a client metadata document. */
  readonly clientId: string;
  readonly redirectUri: string;
}) {
  const byDocument = URL.canParse(clientId);
  let client: { client_id: string; issuer?: string | undefined } | undefined = byDocument
    ? undefined
    : { client_id: clientId, issuer: accounts };
  let tokens: mcp.OAuthTokens | undefined;
  let verifier = "";
  let found: mcp.OAuthDiscoveryState | undefined;
  let target: URL | undefined;
  return {
    redirectUrl: redirectUri,
    ...(byDocument && { clientMetadataUrl: clientId }),
    clientMetadata: { redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"] },
    state: () => randomUUID(),
    clientInformation: () => client,
    saveClientInformation(saved: { client_id: string; issuer?: string | undefined }) {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens(saved: mcp.OAuthTokens) {
      tokens = saved;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(saved: string) {
      verifier = saved;
    },
    discoveryState: () => found,
    saveDiscoveryState(saved: mcp.OAuthDiscoveryState) {
      found = saved;
    },
    redirectToAuthorization(url: URL) {
      target = url;
    },
    /** Returns the URL that the SDK has opened. */
    opened() {
      if (target === undefined) throw new Error("the SDK has opened nothing");
      return target;
    },
    forgetRefreshToken() {
      tokens = tokens && { ...tokens, refresh_token: undefined };
    },
  };
}
