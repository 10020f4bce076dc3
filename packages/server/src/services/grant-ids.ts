import type { NewGrantInput, RequiredScopes } from "../domain/model/grantable-scopes.js";
import type { Secrets } from "../ports/secrets.js";
import type { TokenIssuer } from "../ports/tokens.js";

export interface GrantIdsDeps {
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  readonly requiredScopes: RequiredScopes;
}

/** Generates the part of a rule's input that does not depend on the caller. */
export function newGrantIds({ secrets, issuer, requiredScopes }: GrantIdsDeps): NewGrantInput {
  return {
    grantId: secrets.newId(),
    accessTokenId: secrets.newId(),
    brokerTokenId: secrets.newId(),
    keyId: issuer.currentKeyId(),
    requiredScopes,
  };
}
