import { momentInWords } from "../elements/moment.js";
import type { Agent, Bounds } from "./agents.js";

/** What a person has typed and chosen, to give software more. */
export interface Gift {
  /** How many more deletions. Empty: none. */
  readonly deletions: string;
  readonly vaults: readonly string[];
  /** In the time zone of the browser, such as `2026-11-27T18:30`. */
  readonly end: string;
}

/** What is wrong with a field. */
export interface GiftErrors {
  readonly deletions?: string;
  readonly vaults?: string;
  readonly end?: string;
  /** Of no field alone. */
  readonly form?: string;
}

type Given = Pick<Agent, "latestEndsAt"> & { readonly bounds: Bounds };

const most = { deletions: 4_294_967_295, vaults: 20 };

/** Returns the gift that changes nothing: what the fields contain first. */
export function emptyGift({ vaults = [], expiresAt }: Bounds): Gift {
  return { deletions: "", vaults, end: expiresAt === undefined ? "" : localTime(expiresAt) };
}

/** Returns the bounds after a gift, or what is wrong with it. A limit that does not exist cannot be changed. */
export function boundsAfter(
  { deletions, vaults, end }: Gift,
  { bounds, latestEndsAt }: Given,
  now: number,
): { readonly bounds: Bounds } | { readonly errors: GiftErrors } {
  const { maxDeletions, expiresAt } = bounds;
  const more = /^[0-9]{0,10}$/.test(deletions.trim()) ? Number(deletions) : Number.NaN;
  const moreAllowed = most.deletions - (maxDeletions ?? 0);
  const keepsEnd = end === emptyGift(bounds).end;
  const chosenEnd = keepsEnd ? Date.parse(expiresAt ?? latestEndsAt) : Date.parse(end);
  const errors: GiftErrors = {
    ...(maxDeletions !== undefined &&
      !(more <= moreAllowed) && { deletions: `Enter a whole number from 0 to ${moreAllowed}.` }),
    ...(bounds.vaults !== undefined && vaultsError(vaults)),
    ...(expiresAt !== undefined && endError(chosenEnd, keepsEnd ? undefined : latestEndsAt, now)),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const after = {
    ...bounds,
    ...(maxDeletions !== undefined && { maxDeletions: maxDeletions + more }),
    ...(bounds.vaults !== undefined && { vaults }),
    ...(expiresAt !== undefined && { expiresAt: new Date(chosenEnd).toISOString() }),
  };
  return isSame(after, bounds) ? { errors: { form: "You have not changed anything yet." } } : { bounds: after };
}

function vaultsError(vaults: readonly string[]): Pick<GiftErrors, "vaults"> {
  if (vaults.length === 0) return { vaults: "Choose at least one vault. To allow nothing, end its access." };
  return vaults.length > most.vaults ? { vaults: `Choose at most ${most.vaults} vaults.` } : {};
}

/** @param latestEndsAt undefined for an end that stays: tokens that cannot be renewed end before it */
function endError(end: number, latestEndsAt: string | undefined, now: number): Pick<GiftErrors, "end"> {
  if (Number.isNaN(end)) return { end: "Enter a date and a time." };
  if (end <= now) return { end: "Choose a time in the future." };
  if (latestEndsAt === undefined || end <= Date.parse(latestEndsAt)) return {};
  return { end: `Choose a time up to ${momentInWords(latestEndsAt)}. Then it must ask you again.` };
}

function isSame(one: Bounds, two: Bounds): boolean {
  const textOf = ({ vaults = [], ...others }: Bounds) => JSON.stringify({ ...others, vaults: [...vaults].sort() });
  return textOf(one) === textOf(two);
}

/** Returns a time for a field of the type `datetime-local`. @param at in ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
