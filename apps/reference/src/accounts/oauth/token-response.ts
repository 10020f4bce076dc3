import type { RefreshableTokens } from "@platform-rpc/server";
import type { Target } from "./target.js";

/**
 * Returns the body of a successful token response (RFC 6749 section 5.1).
 *
 * The API accepts its tokens as Bearer, also if the refresh token is bound to a key (RFC 9449 section 5). A broker token that is
 * bound to a key is of the type DPoP.
 */
export function tokenResponse(
  tokens: Pick<RefreshableTokens, "grant" | "accessToken" | "brokerToken"> & {
    readonly refreshToken: string | undefined;
  },
  target: Target,
  now: number,
) {
  const { grant, accessToken, brokerToken, refreshToken } = tokens;
  const bound = target === "broker" && grant.popKeyId !== "";
  return {
    access_token: target === "broker" ? brokerToken : accessToken,
    token_type: bound ? "DPoP" : "Bearer",
    expires_in: Math.max(0, grant.expiresAt - Math.floor(now / 1000)),
    scope: grant.scopes.join(" "),
    refresh_token: refreshToken,
  };
}
