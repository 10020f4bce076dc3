import { expect } from "vitest";
import { oauthClients, principals, type RegisteredOauthClient } from "../../domain/model/access.js";
import type { Actor } from "../../domain/model/actor.js";
import type { Bounds } from "../../domain/model/bounds.js";
import { type Delegation, delegations } from "../../domain/model/delegation.js";
import { type Grant, grantWrites, revocations } from "../../domain/model/grant.js";
import type { UseOutcome } from "../../domain/model/item-use.js";
import type { UseRequest } from "../../domain/use-item.js";
import type { Storage } from "../../ports/storage.js";
import { createDelegationOperations } from "../../services/delegations.js";
import { grantOf, oauthClientOf } from "../access-values.js";
import { createDelegation, storeValue, storeValues } from "../storage-suite/values.js";
import { content } from "./item-case.js";
import { type CaseClock, caseCaller, createStorageHost } from "./storage-driver.js";

const operation = "platform.accounts.v1.ItemUseService/UseItem";

/** What is given: an agent that may use the secret of an item at version 1, and the broker of its person. */
interface UseGiven {
  readonly bounds?: Bounds;
  /** How often secrets were used before. Default: never. */
  readonly used?: number;
  readonly grant?: Partial<Grant>;
  /** The request names the access token of the agent. Default: its broker token. */
  readonly asAccessToken?: true;
  readonly delegation?: Partial<Delegation>;
  readonly client?: Partial<RegisteredOauthClient>;
  readonly revoked?: true;
  readonly role?: "none" | "viewer";
  readonly item?: "changed" | "deleted" | "missing";
  /** A use with the same id that was counted before. Default: there is none. */
  readonly before?: Partial<UseRequest>;
}

/** A row: a use, and the count or the reason with which it is answered. */
export interface UseCase {
  readonly title: string;
  readonly given: UseGiven;
  readonly request: Partial<UseRequest>;
  readonly outcome: { readonly uses: number; readonly maxUses?: number } | { readonly reason: string };
}

const row = (title: string, given: UseGiven, outcome: UseCase["outcome"], request: Partial<UseRequest> = {}) =>
  ({ title: `a use ${title}`, given, request, outcome }) satisfies UseCase;
const ended = { reason: "USE_APPROVAL_ENDED" };
const refused = { reason: "USE_NOT_APPROVED" };
const all: Bounds = { vaults: ["v-1"], actions: ["use"], maxUses: 3, hosts: ["api.example"] };
const asking: Bounds = { maxUses: 3, asksEachTime: true };

export const useCases: readonly UseCase[] = [
  row("within all bounds", { bounds: all, used: 1 }, { uses: 2, maxUses: 3 }),
  row("by a viewer", { bounds: all, role: "viewer" }, { uses: 1, maxUses: 3 }),
  row("that is not bounded is counted", { used: 7 }, { uses: 8 }),
  row("that is the last of the budget", { bounds: all, used: 2 }, { uses: 3, maxUses: 3 }),
  row("beyond the budget", { bounds: all, used: 3 }, { reason: "DELEGATION_EXHAUSTED" }),
  row("beyond a budget of 0", { bounds: { maxUses: 0 } }, { reason: "DELEGATION_EXHAUSTED" }),
  row("beyond a budget that was lowered", { bounds: { maxUses: 1 }, used: 2 }, { reason: "DELEGATION_EXHAUSTED" }),
  row("that is a retry, also beyond the budget", { bounds: all, used: 2, before: {} }, { uses: 3, maxUses: 3 }),
  row("with the id of a use at another host", { before: { host: "other.example" } }, { reason: "USE_ID_TAKEN" }),
  row("with the id of a use of another item", { before: { itemId: "i-2" } }, { reason: "USE_ID_TAKEN" }),

  row("with the access token of the agent", { bounds: all, asAccessToken: true }, ended),
  row("with an unknown token", { bounds: all }, ended, { tokenId: "unknown" }),
  row("with the token of another person", { bounds: all, grant: { principalId: "p-2" } }, ended),
  row("with the token of another tenant", { bounds: all, grant: { tenantId: "t-2" } }, ended),
  row("with an expired token", { bounds: all, grant: { expiresAt: 1 } }, ended),
  row("with a revoked token", { bounds: all, revoked: true }, ended),
  row("after the person has ended the approval", { bounds: all, delegation: { endedAt: 1 } }, ended),
  row("after the time of the approval", { bounds: { expiresAt: 1 } }, ended),
  row("for a client that is disabled", { bounds: all, client: { enabled: false } }, ended),
  row("for a client that may not use secrets", { bounds: all, client: { allowedOperations: [] } }, ended),

  row("without a delegation", { grant: { delegation: undefined } }, refused),
  row("without the scope", { bounds: all, grant: { scopes: ["vault.items:read"] } }, refused),
  row("in another vault", { bounds: { vaults: ["v-2"] } }, refused),
  row("where other actions are allowed", { bounds: { actions: ["read", "write", "delete", "restore"] } }, refused),
  row("at another host", { bounds: all }, refused, { host: "other.example" }),
  row("at another port", { bounds: all }, refused, { host: "api.example:8443" }),
  row("at a part of the domain", { bounds: all }, refused, { host: "sub.api.example" }),
  row("where no host is allowed", { bounds: { hosts: [] } }, refused),

  row("that the person must allow", { bounds: asking }, { reason: "USE_NOT_CONFIRMED" }),
  row("that the person has allowed", { bounds: asking }, { uses: 1, maxUses: 3 }, { confirmed: true }),
  row(
    "that the person has allowed, beyond the budget",
    { bounds: asking, used: 3 },
    { reason: "DELEGATION_EXHAUSTED" },
    { confirmed: true },
  ),
  row("that is a retry of one that the person has allowed", { bounds: asking, before: {} }, { uses: 1, maxUses: 3 }),

  row("by somebody who is not a member", { bounds: all, role: "none" }, { reason: "VAULT_NOT_FOUND" }),
  row("of no item", { bounds: all, item: "missing" }, { reason: "ITEM_NOT_FOUND" }),
  row("of an item that has changed since", { bounds: all, item: "changed" }, { reason: "VERSION_CONFLICT" }),
  row("of a deleted item", { bounds: all, item: "deleted" }, { reason: "VERSION_CONFLICT" }),
];

/** Runs one case for a new tenant, so that one storage can serve all of them. @throws an error of `expect` */
export async function runUseCase(
  storage: Storage,
  clock: CaseClock,
  { given, request, outcome }: UseCase,
): Promise<void> {
  const { use, uses, events } = await openUses(storage, clock, given);
  if (given.before !== undefined) expect(await use({ confirmed: true, ...given.before })).toMatchObject({ ok: true });
  const [usesBefore, eventsBefore] = [await uses(), (await events()).length];
  const result = await use(request);
  expect(result).toMatchObject({ ok: !("reason" in outcome), ...outcome });
  const counted = result.ok && given.before === undefined ? 1 : 0;
  expect(await uses()).toBe(usesBefore + counted);
  const at = `used at api.example: ${"maxUses" in outcome ? `${usesBefore + 1} of ${outcome.maxUses}` : usesBefore + 1}`;
  const expected = {
    subject: "item:v-1/i-1",
    event: at,
    oauthClientId: "c-agent",
    principalId: caseCaller.principalId,
  };
  expect((await events()).slice(eventsBefore)).toMatchObject(Array.from({ length: counted }, () => expected));
}

/** Creates what is given, for a new tenant. Returns functions that use the item, and read what was counted. */
export async function openUses(storage: Storage, clock: CaseClock, given: UseGiven) {
  const actor: Actor = { ...caseCaller, tenantId: `t-${crypto.randomUUID()}`, operation };
  const { tenantId, principalId } = actor;
  const now = clock.now();
  const host = createStorageHost(storage, clock, principalId);
  const vault = { tenantId, vaultId: "v-1", retentionDays: 30 };
  await host.createVault({ ...vault, role: given.role === "none" ? undefined : (given.role ?? "member"), floor: 0 });
  const change = (itemId: string, call: Parameters<typeof host.change>[1]) =>
    host.change({ tenantId, vaultId: "v-1", itemId }, call);
  if (given.item !== "missing") await change("i-1", { operation: "PutItem", baseVersion: 0, content });
  await change("i-2", { operation: "PutItem", baseVersion: 0, content });
  const changed = { ...content, titleHash: "bmV3" };
  if (given.item === "changed") await change("i-1", { operation: "PutItem", baseVersion: 1, content: changed });
  if (given.item === "deleted") await change("i-1", { operation: "DeleteItem", baseVersion: 1 });

  // Everything of the grant is valid, also if it is of somebody else.
  const owner = { tenantId: given.grant?.tenantId ?? tenantId, principalId: given.grant?.principalId ?? principalId };
  const agent = { ...owner, oauthClientId: "c-agent" };
  await storeValue(storage, principals, { ...owner, active: true });
  const client = { tenantId: owner.tenantId, oauthClientId: agent.oauthClientId, allowedOperations: [operation] };
  await storeValue(storage, oauthClients, oauthClientOf({ ...client, ...given.client }));
  const { bounds = {}, used } = given;
  const delegation = { delegationId: "d-1", bounds };
  const counted = used === undefined ? {} : { uses: used };
  await createDelegation(storage, { ...agent, ...delegation, ...counted, ...given.delegation }, now);
  const tokenId = `jti-${crypto.randomUUID()}`;
  const grant = grantOf({
    ...{ ...agent, delegation, scopes: ["vault.items:use"] },
    ...{ grantId: `g-${tokenId}`, accessTokenId: `access-${tokenId}`, brokerTokenId: tokenId },
    expiresAt: Math.floor(now / 1000) + 900,
    ...given.grant,
  });
  const records = grantWrites(grant, now).flatMap((write) => (write.kind === "record" ? [write] : []));
  await storeValues(storage, ...records);
  if (given.revoked) {
    const revocation = { tenantId, subjectId: grant.grantId, principalId, at: now, expiresAt: undefined };
    await storeValue(storage, revocations, revocation);
  }

  const operations = createDelegationOperations({ storage, clock });
  const call = { actor, wanted: () => true };
  const named = given.asAccessToken ? grant.accessTokenId : tokenId;
  const request = { vaultId: "v-1", itemId: "i-1", version: 1, tokenId: named, host: "api.example", confirmed: false };
  const useId = crypto.randomUUID();
  return {
    useId,
    use: (changes: Partial<UseRequest> = {}) => operations.useItem({ ...request, useId, ...changes }, call),
    report: (outcome: UseOutcome, by: Partial<Actor> = {}) =>
      operations.reportItemUse({ useId, outcome }, { ...call, actor: { ...actor, ...by } }),
    uses: async () => delegations.read((await storage.readRecords([delegations.key(tenantId, "d-1")]))[0])?.uses ?? 0,
    /** The events about uses, the oldest first. */
    async events() {
      const { rows } = await storage.listAudit({ tenantId, limit: 200 });
      return rows.filter(({ event }) => event.startsWith("use")).reverse();
    },
  };
}
