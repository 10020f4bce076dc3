import { type Grant, grantWrites } from "../../domain/model/grant.js";
import { refreshFamilies } from "../../domain/model/refresh-family.js";
import { openRefreshFamily } from "../../domain/open-refresh-family.js";
import { recordTokenUse } from "../../domain/record-token-use.js";
import { removeAccess, revokeRefreshFamily } from "../../domain/revoke-access.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import { refOf } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import type { FakeClock } from "../fake-clock.js";
import { createDeviceFixture, requiredScopes } from "../storage-suite/device-fixture.js";
import { actor, oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { commitWrites } from "../storage-suite/rules.js";
import { readValue } from "../storage-suite/values.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "./device-case.js";
import { createDeviceStorageDriver } from "./device-storage-driver.js";
import type { DeviceDriver } from "./run-device-cases.js";

/** Sends the refresh token of a generation. */
export interface Refresh {
  readonly refresh: number;
  /** The thumbprint of the key of which the caller has a proof; empty without a proof. Default: that of the family. */
  readonly proof?: string;
  /** Default: the OAuth client of the family. */
  readonly by?: "another client" | "another tenant" | undefined;
  /** Default: all that were approved. */
  readonly scopes?: readonly string[] | undefined;
}

/** Who revokes a refresh family: its OAuth client, or the person who approved it. */
export type RevokedBy = "its OAuth client" | "its principal";

/** Revokes the family. */
export interface Revoke {
  /** Who does it. */
  readonly revoke: RevokedBy;
  readonly by?: "another client" | "another person" | "another tenant" | undefined;
}

/** What a refresh returned, with what the way in shows of the grant. */
export type FamilyAnswer =
  | { readonly ok: true; readonly generation: number; readonly grant: Partial<Grant> }
  | { readonly ok: false; readonly reason: string };

/** A family for the scopes of the contract, and the calls on it. */
export interface FamilyCalls {
  readonly familyId: string;
  /** Sends a refresh token. */
  send(each: Refresh): Promise<FamilyAnswer>;
  /** Returns whether the caller may do that. */
  revoke(each: Revoke): Promise<boolean>;
}

/** One way to open families and to make the calls on them. */
export interface FamilyDriver extends Pick<DeviceDriver, "approver" | "clock" | "errorOf" | "setUp" | "storage"> {
  /** Opens a family. Its tokens need a proof of the key, if there is one. */
  open(popKeyId: string): Promise<FamilyCalls>;
}

/** Makes the calls of the cases by applying the rules to a storage. */
export function createFamilyStorageDriver(storage: DeviceDriver["storage"], clock: FakeClock): FamilyDriver {
  return {
    ...createDeviceStorageDriver(storage, clock),
    open: (popKeyId) => openFamily(storage, clock, popKeyId),
  };
}

/** Why a family is revoked, by whoever may do that. */
export const revocationBy = { "its OAuth client": "signed out", "its principal": "ended by its principal" } as const;

let families = 0;

/** Opens a new family, and returns the calls on it. Each call reaches the storage in the turn in which it is made. */
export async function openFamily(storage: DeviceDriver["storage"], clock: FakeClock, popKeyId: string) {
  const { setUp } = createDeviceFixture(storage, clock);
  // Tokens have whole seconds.
  clock.advance(1000 - (clock.now() % 1000));
  await setUp([deleteOperation, exchangeOperation]);
  families += 1;
  const familyId = `family-${families}`;
  const refIn = (tenant: string) => refOf(refreshFamilies.key(tenant, familyId));
  const scopes = [exchangeScope, deleteScope];
  const issuedAt = Math.floor(clock.now() / 1000);
  const first: Grant = {
    ...{ grantId: familyId, tenantId, principalId, oauthClientId, scopes, keyId: "key-1", popKeyId, issuedAt },
    ...{ expiresAt: issuedAt + 900, accessTokenId: `access-${familyId}`, brokerTokenId: "" },
  };
  const opening = [...grantWrites(first, clock.now()), ...openRefreshFamily(first, actor, clock.now())];
  await storage.transact(refOf(), commitWrites(opening));
  const issued = [first];
  let drawn = 0;

  const callerOf = ({ by }: Pick<Refresh | Revoke, "by">) => ({
    ...actor,
    tenantId: by === "another tenant" ? "tenant-2" : tenantId,
    principalId: by === "another person" ? "principal-2" : principalId,
    oauthClientId: by === "another client" ? "another-client" : oauthClientId,
  });

  return {
    ...familyIn({ storage, clock, approver: { tenantId, principalId } }, familyId),
    familyId,
    scopes,
    /** Every grant that was issued, the oldest first. */
    issued,
    setUp,
    async send(each: Refresh): Promise<RotateOutcome> {
      drawn += 1;
      const ids = { grantId: `grant-${drawn}`, accessTokenId: `access-${familyId}-${drawn}`, brokerTokenId: "" };
      const { refresh: generation, proof: proofKeyId = popKeyId, scopes: wanted } = each;
      const input = { ...ids, keyId: "key-1", requiredScopes, familyId, generation, proofKeyId, scopes: wanted };
      const caller = callerOf(each);
      const rule = rotateRefreshToken(input, caller, clock.now());
      const { outcome: result } = await storage.transact(refIn(caller.tenantId), rule);
      if (result.ok && !issued.some(({ grantId }) => grantId === result.grant.grantId)) issued.push(result.grant);
      return result;
    },
    async revoke(each: Revoke) {
      const caller = callerOf(each);
      const revoke = each.revoke === "its principal" ? removeAccess : revokeRefreshFamily;
      const rule = revoke(familyId, caller, clock.now());
      return (await storage.transact(refIn(caller.tenantId), rule)).outcome.ok;
    },
  };
}

/** Returns the effects of the calls on a family in a storage. */
export function familyIn(
  { storage, clock, approver }: Pick<FamilyDriver, "approver" | "clock" | "storage">,
  familyId: string,
) {
  const { tenantId: tenant } = approver;
  return {
    async recordUse(generation: number): Promise<void> {
      const ref = refOf(refreshFamilies.key(tenant, familyId));
      await storage.transact(ref, recordTokenUse({ familyId, generation }, tenant, clock.now()));
    },
    read: () => readValue(storage, refreshFamilies, familyId, tenant),
    isRevoked: async ({ grantId, oauthClientId: client }: Grant) =>
      (await readAccess(storage, { ...approver, oauthClientId: client, tokenId: "any", grantId })).revoked,
    async events() {
      const { rows } = await storage.listAudit({ tenantId: approver.tenantId, limit: 100 });
      return rows.filter(({ subject, event }) => `${subject} ${event}`.includes(familyId)).map(({ event }) => event);
    },
  };
}
