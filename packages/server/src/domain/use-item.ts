import type { DelegationExhausted } from "./delete-item.js";
import { accessOf, allowlisted, isTokenValid } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { allows } from "./model/bounds.js";
import { alreadyDone, type Decision, unchanged, type Write } from "./model/decision.js";
import { delegations } from "./model/delegation.js";
import type { Grant } from "./model/grant.js";
import { type ItemUse, itemUses, keyOfUse, type UseOutcome } from "./model/item-use.js";
import { currentRecord, type Records } from "./model/record.js";
import { defineRule } from "./rule.js";

/** A use of the secret of an item for an agent. */
export interface UseRequest extends Pick<ItemUse, "useId" | "vaultId" | "itemId" | "version" | "host"> {
  /** The `jti` of the agent's broker token. */
  readonly tokenId: string;
  /** Whether the person was asked about this use, and has allowed it. */
  readonly confirmed: boolean;
}

/** The count of uses with this one, or why nothing was counted. */
export type UseItemOutcome =
  | { readonly ok: true; readonly uses: number; readonly maxUses: number | undefined }
  | {
      readonly ok: false;
      /**
       * - `USE_APPROVAL_ENDED`: the token is unknown, not valid, or of another person; or what it was approved with has ended.
       * - `USE_NOT_APPROVED`: the approval has no delegation, or does not allow to use secrets in the vault or at the host.
       * - `USE_ID_TAKEN`: another use of the person has the id.
       */
      readonly reason: "USE_APPROVAL_ENDED" | "USE_NOT_APPROVED" | "USE_ID_TAKEN";
    }
  | DelegationExhausted
  | {
      readonly ok: false;
      readonly reason: "USE_NOT_CONFIRMED";
      readonly oauthClientId: string;
      readonly delegationId: string;
    };

const useScope = "vault.items:use";

export const useItem = defineRule(decideUseItem);

/**
 * Counts a use of an item's secret for an agent, by a program of the person who has approved the agent. An exact retry counts nothing.
 *
 * @param grant the grant of the agent's token; undefined if no grant has this token
 * @param actor the program of the person
 */
function decideUseItem(
  records: Records,
  grant: Grant | undefined,
  { confirmed, ...request }: UseRequest,
  actor: Actor,
  now: number,
): Decision<UseItemOutcome> {
  const { tenantId, principalId } = actor;
  const { tokenId, vaultId, host } = request;
  const isOfPerson = grant?.tenantId === tenantId && grant.principalId === principalId;
  // Only the broker token: a broker never gets the access token of an agent.
  if (!isOfPerson || grant.brokerTokenId !== tokenId || now >= 1000 * grant.expiresAt)
    return rejected("USE_APPROVAL_ENDED");
  const { oauthClientId } = grant;
  const access = accessOf(records, { ...grant, tokenId });
  if (!isTokenValid(access, now) || !allowlisted(access, actor.operation)) return rejected("USE_APPROVAL_ENDED");
  const { delegation } = access;
  if (delegation === undefined || !grant.scopes.includes(useScope)) return rejected("USE_NOT_APPROVED");
  const { maxUses, hosts, asksEachTime } = delegation.bounds;
  if (!allows(delegation.bounds, vaultId, "use") || hosts?.includes(host) === false)
    return rejected("USE_NOT_APPROVED");

  const { delegationId } = delegation;
  const use = { tenantId, principalId, oauthClientId, delegationId, ...request };
  const before = findUse(records, use, now);
  if (before !== undefined) {
    const isRetry = Object.entries(use).every(([name, value]) => Reflect.get(before, name) === value);
    return isRetry ? alreadyDone({ ok: true, uses: before.uses, maxUses }) : rejected("USE_ID_TAKEN");
  }
  const { uses: used = 0 } = delegation;
  if (maxUses !== undefined && used >= maxUses) {
    return unchanged({ ok: false, reason: "DELEGATION_EXHAUSTED", allowed: maxUses, used });
  }
  if (asksEachTime === true && !confirmed) {
    return unchanged({ ok: false, reason: "USE_NOT_CONFIRMED", oauthClientId, delegationId });
  }
  const uses = used + 1;
  return {
    outcome: { ok: true, uses, maxUses },
    writes: [
      delegations.put(records, { ...delegation, uses, lastUseAt: now }, now),
      itemUses.put(records, { ...use, uses, at: now }, now),
      auditUse(use, `used at ${host}: ${maxUses === undefined ? uses : `${uses} of ${maxUses}`}`, actor, now),
    ],
  };
}

/** Whether there is such a use to report about. */
export type ReportItemUseOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: "ITEM_NOT_FOUND" };

const outcomeEvents: Readonly<Record<UseOutcome, string>> = {
  not_sent: "use not sent",
  unknown: "use may have been sent",
};

export const reportItemUse = defineRule(decideReportItemUse);

/** Records what became of a use of the calling principal. Its count stays. The first report counts: a later one changes nothing. */
function decideReportItemUse(
  records: Records,
  useId: string,
  outcome: UseOutcome,
  actor: Actor,
  now: number,
): Decision<ReportItemUseOutcome> {
  const { tenantId, principalId } = actor;
  const use = findUse(records, { tenantId, principalId, useId }, now);
  if (use === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  if (use.outcome !== undefined) return alreadyDone({ ok: true });
  return {
    outcome: { ok: true },
    writes: [itemUses.put(records, { ...use, outcome }, now), auditUse(use, outcomeEvents[outcome], actor, now)],
  };
}

function findUse(records: Records, use: Parameters<typeof keyOfUse>[0], now: number): ItemUse | undefined {
  return itemUses.read(currentRecord(records.find(keyOfUse(use)), now));
}

/** Creates the audit record of a use. The agent has used the item: the broker acts for it. */
function auditUse(use: Omit<ItemUse, "uses" | "at">, event: string, actor: Actor, now: number): Write {
  const { tenantId, oauthClientId, tokenId, vaultId, itemId, version } = use;
  return audit({ ...actor, oauthClientId, tokenId }, now, {
    subjectTenantId: tenantId,
    subject: `item:${vaultId}/${itemId}`,
    event,
    versionBefore: version,
    versionAfter: version,
  });
}

function rejected<Reason extends string>(reason: Reason) {
  return unchanged({ ok: false, reason } as const);
}
