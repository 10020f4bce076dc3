import { authorizePath } from "../http/oauth-error.js";
import { authorizationDetailsTypes, grantableScopes, offlineAccess } from "../oauth-clients/grants.js";
import { promptValues } from "./authorization-request.js";
import type { OAuthParts } from "./oauth-parts.js";
import { grantTypes } from "./token-endpoint.js";

/** The algorithms of DPoP proofs and client assertions (RFC 9864). */
export const proofAlgorithms = ["ES256", "Ed25519"];

/**
 * Returns the metadata of the authorization server.
 *
 * @see RFC 8414 section 2, RFC 7636, RFC 9126 section 5, RFC 9207 section 3, RFC 9396 section 10,
 * RFC 9449 section 5.1
 */
export function serverMetadata({
  origin,
  issuer,
  brokerAudience,
  brokers,
  clientIdMetadata,
}: Pick<OAuthParts, "origin" | "issuer" | "brokerAudience" | "brokers" | "clientIdMetadata">) {
  const introspection = {
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ["private_key_jwt"],
    introspection_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
  };
  return {
    issuer,
    authorization_endpoint: origin + authorizePath,
    pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/oauth/jwks`,
    grant_types_supported: grantTypes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    code_challenge_methods_supported: ["S256"],
    prompt_values_supported: promptValues,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [...grantableScopes, offlineAccess],
    authorization_details_types_supported: authorizationDetailsTypes,
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    dpop_signing_alg_values_supported: proofAlgorithms,
    // A member of this server: the `resource` of broker tokens, and the `aud` that brokers accept.
    broker_audience: brokerAudience,
    ...(clientIdMetadata && { client_id_metadata_document_supported: true }),
    ...(brokers.size > 0 && introspection),
  };
}

/**
 * Returns the metadata as OpenID Connect requires it. Some clients read no other document, although they do not use OpenID Connect
 * (RFC 8414 section 5). There are no id tokens: their algorithm is the one that every such document must contain.
 *
 * @see OpenID Connect Discovery section 3
 */
export function openidMetadata(parts: Parameters<typeof serverMetadata>[0]) {
  const idTokens = { subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] };
  return { ...serverMetadata(parts), ...idTokens };
}
