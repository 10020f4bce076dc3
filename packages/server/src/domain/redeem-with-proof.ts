import type { Actor } from "./actor.js";
import { type Decision, unchanged } from "./decision.js";
import type { DeviceCodeSnapshot, ExchangeInput, ExchangeOutcome } from "./device-authorization.js";
import { decideExchange } from "./exchange-device-code.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import { defineRule } from "./rule.js";

/** The outcome of the exchange. `PROOF_KEY_REQUIRED`: the code is bound to a key, of which the caller has no proof. */
export type RedeemOutcome = ExchangeOutcome | { readonly ok: false; readonly reason: "PROOF_KEY_REQUIRED" };

export const redeemWithProof = defineRule("redeemWithProof", decideRedeemWithProof);

/**
 * Decides the exchange for a caller that may have proved to have a key (RFC 9449 section 5). If the code was bound to a key at its
 * start, the caller needs a proof of it. The tokens of any other code are bound to the proved key. A new grant is committed with its
 * refresh family, so that no reuse of the code can come in between.
 */
function decideRedeemWithProof(
  snapshot: DeviceCodeSnapshot,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<RedeemOutcome> {
  const { tenantId, oauthClientId, popKeyId = "" } = snapshot.authorization ?? {};
  const owned = tenantId === actor.tenantId && oauthClientId === actor.oauthClientId;
  if (owned && popKeyId !== "" && popKeyId !== input.proofKeyId) {
    return unchanged({ ok: false, reason: "PROOF_KEY_REQUIRED" });
  }
  const { outcome, writes } = decideExchange(snapshot, input, actor, now);
  const granted = outcome.ok && outcome.status === "approved" && outcome.grant.grantId === input.grantId;
  return { outcome, writes: granted ? [...writes, ...openRefreshFamily(outcome.grant, actor, now)] : writes };
}
