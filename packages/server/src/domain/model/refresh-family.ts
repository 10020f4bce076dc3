import { subjectLinks } from "./access.js";
import { replayable } from "./clock-skew.js";
import { defineCollection } from "./collection.js";
import { delegations } from "./delegation.js";
import { type Grant, grantSchema, revocations } from "./grant.js";
import type { Link, Records } from "./record.js";
import { list, number, object, optional, text, texts } from "./schema.js";

/** The lifetime of a refresh family, in milliseconds: 30 days. A rotation does not extend it. */
export const refreshFamilyLife = 30 * 24 * 60 * 60 * 1000;

/** How many access tokens of a family are valid at a time. Another one revokes the oldest. */
const mostLiveGrants = 16;

/**
 * How long after a rotation a second process of a program without a key gets the same successor, in milliseconds. Two windows of one
 * program notice at the same moment that their access token has expired, and send the same refresh token.
 */
const sharedRotationMs = 30_000;
/** Of how many rotations a family remembers the times. */
const mostRotations = 16;

/** A generation of a refresh family. */
export interface RefreshGeneration {
  readonly familyId: string;
  readonly generation: number;
}

/** A grant whose tokens may be valid. */
export interface LiveGrant {
  readonly grantId: string;
  /** Seconds since the epoch, as in a JWT. */
  readonly expiresAt: number;
}

/**
 * A refresh family: the refresh tokens of one approval, each issued in exchange for the one before, and the access tokens that were
 * issued with them.
 *
 * No token is stored: a refresh token is derived from the id of its family, its generation, and a key of the server.
 */
export interface RefreshFamily {
  /** The id of the grant that was issued with the first refresh token. */
  readonly familyId: string;
  readonly tenantId: string;
  /** The principal that approved. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The approved scopes. A refresh never grants others. */
  readonly scopes: readonly string[];
  /** Identifies the only resource that its tokens are for (RFC 8707). Undefined: each request names its own. */
  readonly resource: string | undefined;
  /** The RFC 7638 thumbprint of the key whose proof each refresh needs; empty without such a key. */
  readonly popKeyId: string;
  /** The generation of the current refresh token: 1, then incremented by every rotation. */
  readonly generation: number;
  /** When the current refresh token was issued, in milliseconds since the epoch. */
  readonly rotatedAt: number;
  /**
   * When it was recorded that an access token of the current generation is in use, in milliseconds since the epoch; undefined before.
   * It is not recorded for the first generation and for a family with a key, because nothing depends on it there.
   */
  readonly usedAt: number | undefined;
  /**
   * When the newest generations were replaced, in milliseconds since the epoch, the last one last. Undefined: never, or nothing depends
   * on it, because the family has a key.
   */
  readonly replacedAt: readonly number[] | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The grant of the newest access token: a retry gets the same one while it is valid. */
  readonly newestGrant: Grant;
  /** The oldest first. */
  readonly liveGrants: readonly LiveGrant[];
}

export const refreshFamilies = defineCollection<RefreshFamily>("refresh-family", {
  schema: object({
    familyId: text,
    tenantId: text,
    principalId: text,
    oauthClientId: text,
    scopes: texts,
    resource: optional(text),
    popKeyId: text,
    generation: number,
    rotatedAt: number,
    usedAt: optional(number),
    replacedAt: optional(list(number)),
    createdAt: number,
    expiresAt: number,
    newestGrant: grantSchema,
    liveGrants: list(object({ grantId: text, expiresAt: number })),
  }),
  keyOf: ({ tenantId, familyId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
  links: (family) => [
    ...subjectLinks(family),
    ...family.liveGrants.map(({ grantId }): Link => [revocations.name, grantId]),
    ...delegationLinks(family),
  ],
});

function delegationLinks({ newestGrant: { delegation } }: RefreshFamily): readonly Link[] {
  return delegation === undefined ? [] : [[delegations.name, delegation.delegationId]];
}

const grantIdPattern = /^[^.]+\.([A-Za-z0-9-]{1,128})\.([1-9][0-9]{0,8})$/;

/**
 * Returns the id of a grant of a refreshed generation. It contains the generation, so that whoever verifies a token knows it without
 * a read. It begins with a new id, so that grants stay in the order of their times in an index.
 */
export function grantIdOf(newId: string, { familyId, generation }: RefreshGeneration): string {
  return `${newId}.${familyId}.${generation}`;
}

/** Returns the generation that a grant belongs to. Undefined for the first grant of a family, and for grants without one. */
export function generationOfGrant(grantId: string): RefreshGeneration | undefined {
  const [, familyId, generation] = grantIdPattern.exec(grantId) ?? [];
  return familyId === undefined ? undefined : { familyId, generation: Number(generation) };
}

export function newFamily(
  grant: Grant,
  now: number,
  resource?: string,
  expiresAt = now + refreshFamilyLife,
): RefreshFamily {
  const { grantId, tenantId, principalId, oauthClientId, scopes, popKeyId } = grant;
  return {
    familyId: grantId,
    tenantId,
    principalId,
    oauthClientId,
    scopes,
    resource,
    popKeyId,
    generation: 1,
    rotatedAt: now,
    usedAt: undefined,
    replacedAt: undefined,
    createdAt: now,
    expiresAt,
    newestGrant: grant,
    liveGrants: [{ grantId, expiresAt: grant.expiresAt }],
  };
}

/** Replaces the refresh token of a generation, which is the current one, or one that the storage has lost. */
export function replaceGeneration(family: RefreshFamily, generation: number, now: number): RefreshFamily {
  const { replacedAt = [] } = family;
  const known = generation === family.generation ? replacedAt : [];
  const first = known.findIndex((at) => replayable(at, now, sharedRotationMs));
  const recent = first === -1 ? [] : known.slice(first);
  return {
    ...family,
    generation: generation + 1,
    rotatedAt: now,
    usedAt: undefined,
    replacedAt: family.popKeyId === "" ? [...recent, now].slice(-mostRotations) : undefined,
  };
}

/** Returns whether a generation was replaced so short ago that another process of the program may not have its successor yet. */
export function isReplacedJustNow(family: RefreshFamily, generation: number, now: number): boolean {
  const at = family.replacedAt?.at(generation - family.generation);
  return at !== undefined && replayable(at, now, sharedRotationMs);
}

/** Adds a grant to a family. Returns also the grants that must be revoked, because too many are live. */
export function addGrant(
  family: RefreshFamily,
  grant: Grant,
  now: number,
): { readonly family: RefreshFamily; readonly surplus: readonly LiveGrant[] } {
  const { grantId, expiresAt } = grant;
  const live = [...family.liveGrants.filter((known) => known.expiresAt * 1000 > now), { grantId, expiresAt }];
  const most = Math.max(0, live.length - mostLiveGrants);
  return { family: { ...family, newestGrant: grant, liveGrants: live.slice(most) }, surplus: live.slice(0, most) };
}

/** Finds a family that has not ended. */
export function findFamily(
  records: Records,
  tenantId: string,
  familyId: string,
  now: number,
): RefreshFamily | undefined {
  const family = refreshFamilies.find(records, tenantId, familyId);
  return family !== undefined && now < family.expiresAt ? family : undefined;
}
