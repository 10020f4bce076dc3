import type { OAuthParts } from "./oauth-parts.js";
import { grantableScopes } from "./scopes.js";
import { grantTypes } from "./token-endpoint.js";

/** The algorithms of DPoP proofs and client assertions (RFC 9864). */
export const proofAlgorithms = ["ES256", "Ed25519"];

/**
 * Returns the metadata of the authorization server (RFC 8414 section 2). The authorization endpoint supports no response type: it is
 * named because clients, such as that of MCP, reject metadata without it.
 */
export function serverMetadata({
  origin,
  brokers,
  clientIdMetadata,
}: Pick<OAuthParts, "origin" | "brokers" | "clientIdMetadata">) {
  const issuer = origin();
  const introspection = {
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ["private_key_jwt"],
    introspection_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
  };
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/oauth/jwks`,
    grant_types_supported: grantTypes,
    response_types_supported: [],
    scopes_supported: grantableScopes,
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    dpop_signing_alg_values_supported: proofAlgorithms,
    ...(clientIdMetadata && { client_id_metadata_document_supported: true }),
    ...(brokers.size > 0 && introspection),
  };
}
