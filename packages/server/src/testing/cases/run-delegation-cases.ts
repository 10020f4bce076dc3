import { expect } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import { changeDelegation, type DelegationChange } from "../../domain/manage-delegation.js";
import type { Actor } from "../../domain/model/actor.js";
import type { Bounds } from "../../domain/model/bounds.js";
import { type Delegation, delegations } from "../../domain/model/delegation.js";
import { removeAccess } from "../../domain/revoke-access.js";
import { type Ref, refOf, type Storage } from "../../ports/storage.js";
import { createDelegation } from "../storage-suite/values.js";
import { content } from "./item-case.js";
import type { Section } from "./section.js";
import { type CaseClock, caseCaller, createStorageHost, type ItemStorage } from "./storage-driver.js";

/** What is given: a delegation that lasts a day, a vault v-1 of which its person is a member, and an item in it. */
export interface DelegationGiven {
  /** Times are milliseconds after the approval. Default: the delegation does not exist. */
  readonly bounds?: Bounds;
  /** How many items were deleted. Default: 0. */
  readonly used?: number;
  /** The person has ended it. Default: it is open. */
  readonly ended?: true;
  /** Default: "member". */
  readonly role?: "member" | "viewer" | "none";
  /** Default: the item is at version 1. */
  readonly item?: "deleted" | "missing";
  /** When the call is made, in milliseconds after the approval. Default: 0. */
  readonly after?: number;
}

export type DelegationCall =
  /** The software deletes the item. */
  | { readonly operation: "Delete"; readonly baseVersion: number }
  | {
      readonly operation: "Change";
      /** Default: the person who approved. */
      readonly by?: "another person" | undefined;
      readonly change: DelegationChange;
    }
  | { readonly operation: "End"; readonly by?: "another person" };

/** What the delegation is afterwards, where it differs from what is given; or why the call was rejected, and changes nothing. */
export type DelegationOutcome =
  | {
      readonly bounds?: Bounds;
      readonly used?: number;
      readonly ended?: true;
      /** The event in the audit trail of the delegation. Default: none. */
      readonly event?: string;
    }
  | { readonly reason: string; readonly allowed?: number; readonly used?: number };

/** A row: the same call with the same outcome for the rules and for every storage. */
export interface DelegationCase {
  readonly section: Section;
  readonly title: string;
  readonly given: DelegationGiven;
  readonly call: DelegationCall;
  readonly outcome: DelegationOutcome;
}

/** The part of a storage that the cases need. */
export type DelegationStorage = ItemStorage & Pick<Storage, "readRecords">;

const delegationId = "d-1";

/** Runs one case for a new tenant, so that one storage can serve all of them. @throws an error of `expect` */
export async function runDelegationCase(
  storage: DelegationStorage,
  clock: CaseClock,
  { given, call, outcome }: DelegationCase,
): Promise<void> {
  const actor: Actor = { ...caseCaller, tenantId: `t-${crypto.randomUUID()}` };
  const { tenantId } = actor;
  const approvedAt = clock.now();
  const before = await arrange(storage, clock, actor, given);
  clock.advance(given.after ?? 0);

  const answer = await perform(storage, actor, call, approvedAt, clock.now());
  const after = await findDelegation(storage, tenantId);
  const { rows } = await storage.listAudit({ tenantId, limit: 1 });
  const events = rows.filter(({ subject }) => subject === `delegation:${delegationId}`).map(({ event }) => event);

  if ("reason" in outcome) {
    expect(answer).toEqual({ ok: false, ...outcome });
    expect(after).toEqual(before);
    return;
  }
  expect(answer).toEqual({ ok: true });
  const { bounds, used, ended, event } = outcome;
  const deletions = used ?? before?.deletions;
  expect(after).toEqual(
    before && {
      ...before,
      ...(bounds && { bounds: boundsAfter(bounds, approvedAt) }),
      deletions,
      lastDeletionAt: deletions === before.deletions ? before.lastDeletionAt : clock.now(),
      endedAt: before.endedAt ?? (ended && clock.now()),
    },
  );
  expect(events).toEqual(event === undefined ? [] : [event]);
}

/** Creates what is given. Returns the delegation. */
async function arrange(
  storage: DelegationStorage,
  clock: CaseClock,
  { tenantId, principalId, oauthClientId }: Actor,
  { bounds, used = 0, ended, role = "member", item }: DelegationGiven,
): Promise<Delegation | undefined> {
  const now = clock.now();
  const host = createStorageHost(storage, clock, principalId);
  const ref = { tenantId, vaultId: "v-1", itemId: "i-1" };
  await host.createVault({ ...ref, retentionDays: 30, role: role === "none" ? undefined : role, floor: 0 });
  if (item !== "missing") await host.change(ref, { operation: "PutItem", baseVersion: 0, content });
  if (item === "deleted") await host.change(ref, { operation: "DeleteItem", baseVersion: 1 });
  if (bounds === undefined) return undefined;
  return createDelegation(
    storage,
    {
      delegationId,
      tenantId,
      principalId,
      oauthClientId,
      bounds: boundsAfter(bounds, now),
      deletions: used,
      lastDeletionAt: used === 0 ? undefined : now,
      endedAt: ended && now,
    },
    now,
  );
}

async function perform(
  storage: DelegationStorage,
  actor: Actor,
  call: DelegationCall,
  approvedAt: number,
  now: number,
): Promise<unknown> {
  const { tenantId, principalId } = actor;
  const record = delegations.key(tenantId, delegationId);
  if (call.operation === "Delete") {
    const ref: Ref = { kind: "item", tenantId, vaultId: "v-1", itemId: "i-1", principalId, record };
    const { outcome } = await storage.transact(ref, deleteItem(call.baseVersion, actor, now, delegationId));
    if (outcome.ok) return { ok: true };
    return outcome.reason === "VERSION_CONFLICT" ? { ok: false, reason: outcome.reason } : outcome;
  }
  const by = call.by === undefined ? actor : { ...actor, principalId: "p-other" };
  if (call.operation === "Change") {
    const { change } = call;
    const inTime = "bounds" in change ? changeAfter(change, approvedAt) : change;
    const rule = changeDelegation(delegationId, inTime, by, now);
    const { outcome } = await storage.transact(refOf(record), rule);
    return outcome.ok ? { ok: true } : outcome;
  }
  const { outcome } = await storage.transact(refOf(record), removeAccess(delegationId, by, now));
  return outcome.ok ? { ok: true } : { ok: false, reason: "" };
}

/** Returns bounds whose end was given in milliseconds after a moment. */
export function boundsAfter({ expiresAt, ...others }: Bounds, moment: number): Bounds {
  return { ...others, ...(expiresAt !== undefined && { expiresAt: moment + expiresAt }) };
}

function changeAfter(
  { bounds, expected }: Extract<DelegationChange, { bounds: Bounds }>,
  moment: number,
): DelegationChange {
  return { bounds: boundsAfter(bounds, moment), expected: expected && boundsAfter(expected, moment) };
}

async function findDelegation(
  storage: Pick<Storage, "readRecords">,
  tenantId: string,
): Promise<Delegation | undefined> {
  return delegations.read((await storage.readRecords([delegations.key(tenantId, delegationId)]))[0]);
}
