import type { BrokerRequest, BrokerTokenClaims, BrokerTokenVerifier } from "@platform-rpc/broker";
import { refusal } from "./refusal.js";

/** The scope of tokens that use items. */
export const useScope = "vault.items:use";

/** What the person has approved, as the agent's token says. The platform decides; this keeps the broker from connecting before. */
export interface Approval {
  readonly claims: BrokerTokenClaims;
  /** The same for all tokens of the approval. */
  readonly approvalId: string;
  /** Returns whether it names a vault. */
  allowsVault(vaultId: string): boolean;
  allowsHost(host: string): boolean;
}

/** How long a token is not verified again, in milliseconds, and how many are remembered. */
const [rememberedMs, mostRemembered] = [60_000, 1_000];

/**
 * Creates a function that verifies the token of a request. A token that is not bound to a key is verified once a minute: the same bytes have
 * the same signature.
 */
export function createApprovals(
  { verify }: BrokerTokenVerifier,
  now: () => number = Date.now,
): (presented: BrokerRequest) => Promise<Approval> {
  const remembered = new Map<string, { readonly approval: Approval; readonly until: number }>();
  return async (presented) => {
    const { authorization = "" } = presented;
    const known = remembered.get(authorization);
    if (known !== undefined && now() < known.until) return known.approval;
    const claims = await verify({ ...presented, requiredScopes: [useScope] });
    const approval = approvalOf(claims);
    if (claims.popKeyId !== "") return approval;
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(authorization, { approval, until: Math.min(claims.expiresAt, now() + rememberedMs) });
    return approval;
  };
}

function approvalOf(claims: BrokerTokenClaims): Approval {
  const detail = claims.authorizationDetails.find(({ type }) => type === "vault");
  const { actions, vaults, hosts } = detail ?? { type: "" };
  if (detail === undefined || !includes(actions, "use")) {
    throw refusal("USE_NOT_APPROVED", "The token's approval does not include the use of items. Ask for one that does.");
  }
  const { grantId } = claims;
  return {
    claims,
    // Each renewed token has another grant. The id of that grant contains the id of the first one.
    approvalId: /^[^.]+\.([^.]+)\.\d+$/.exec(grantId)?.[1] ?? grantId,
    allowsVault: (vaultId) => includes(vaults, vaultId),
    allowsHost: (host) => includes(hosts, host),
  };
}

/** What is absent is not bounded. A value that is not a list allows nothing. */
function includes(list: unknown, value: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(value));
}
