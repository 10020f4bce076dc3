import { decideExchange } from "./exchange-device-code.js";
import type { Actor } from "./model/actor.js";
import { type Decision, unchanged } from "./model/decision.js";
import { deviceAuthorizations, type ExchangeInput, type ExchangeOutcome } from "./model/device-authorization.js";
import type { Records } from "./model/record.js";
import { findFamily } from "./model/refresh-family.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import { defineRule } from "./rule.js";

/** The outcome of the exchange. `PROOF_KEY_REQUIRED`: the code is bound to a key, of which the caller has no proof. */
export type RedeemOutcome = ExchangeOutcome | { readonly ok: false; readonly reason: "PROOF_KEY_REQUIRED" };

export const redeemWithProof = defineRule(decideRedeemWithProof);

/**
 * Decides the exchange for a caller that may have proved to have a key (RFC 9449 section 5). If the code was bound to a key at its
 * start, the caller needs a proof of it. The tokens of any other code are bound to the proved key. A new grant is committed with its
 * refresh family, so that no reuse of the code can come in between.
 */
function decideRedeemWithProof(
  records: Records,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<RedeemOutcome> {
  const authorization = deviceAuthorizations.find(records, actor.tenantId, input.deviceCodeHash);
  const { oauthClientId, popKeyId = "" } = authorization ?? {};
  const owned = oauthClientId === actor.oauthClientId;
  if (owned && popKeyId !== "" && popKeyId !== input.proofKeyId) {
    return unchanged({ ok: false, reason: "PROOF_KEY_REQUIRED" });
  }
  const { outcome, writes } = decideExchange(records, { ...input, opensFamily: true }, actor, now);
  if (!outcome.ok || outcome.status !== "approved") return { outcome, writes };
  const { grant } = outcome;
  if (grant.grantId === input.grantId) return { outcome, writes: [...writes, ...openRefreshFamily(grant, actor, now)] };
  // A retry gets the first refresh token, while that is the current one.
  return findFamily(records, grant.tenantId, grant.grantId, now)?.generation === 1
    ? { outcome, writes }
    : unchanged({ ok: false, reason: "DEVICE_CODE_CONSUMED" });
}
