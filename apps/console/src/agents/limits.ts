import { momentInWords } from "../elements/moment.js";
import type { Agent, Bounds } from "./agents.js";

/** What a person has typed and chosen as the limits of a login. */
export interface Limits {
  /** How many items it may still delete. Empty: no limit. */
  readonly deletions: string;
  /** Undefined: all vaults of the person. */
  readonly vaults: readonly string[] | undefined;
  /** In the time zone of the browser, such as `2026-11-27T18:30`. Empty: as long as the login can last. */
  readonly end: string;
}

export interface LimitErrors {
  readonly deletions?: string;
  readonly vaults?: string;
  readonly end?: string;
  /** Of no field alone. */
  readonly form?: string;
}

type Limited = Pick<Agent, "bounds" | "used" | "latestEndsAt">;

const most = { deletions: 4_294_967_295, vaults: 20 };

/** Returns the limits of a login as they are: what the fields contain first. */
export function limitsOf({ bounds = {}, used }: Limited): Limits {
  const { maxDeletions, vaults, expiresAt } = bounds;
  return {
    deletions: maxDeletions === undefined ? "" : String(Math.max(0, maxDeletions - (used?.deletions ?? 0))),
    vaults,
    end: expiresAt === undefined ? "" : localTime(expiresAt),
  };
}

/** Returns the bounds of a login with other limits, or what is wrong with them. What the person has not changed stays. */
export function boundsWith(
  limits: Limits,
  agent: Limited,
  now: number,
): { readonly bounds: Bounds } | { readonly errors: LimitErrors } {
  const { bounds = {}, used = { deletions: 0 }, latestEndsAt } = agent;
  const before = limitsOf(agent);
  const { deletions, vaults, end } = limits;
  const mostLeft = most.deletions - used.deletions;
  const left = /^[0-9]{1,10}$/.test(deletions.trim()) ? Number(deletions) : Number.NaN;
  const keepsEnd = end === before.end;
  const chosenEnd = keepsEnd ? Date.parse(bounds.expiresAt ?? latestEndsAt) : Date.parse(end);
  const errors: LimitErrors = {
    ...(deletions !== "" &&
      !(left <= mostLeft) && { deletions: `Enter a whole number from 0 to ${mostLeft}, or nothing.` }),
    ...(vaults !== undefined && vaultsError(vaults)),
    ...(end !== "" && endError(chosenEnd, keepsEnd ? undefined : latestEndsAt, now)),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const { actions } = bounds;
  const maxDeletions = deletions === before.deletions ? bounds.maxDeletions : used.deletions + left;
  const after = {
    ...(vaults !== undefined && { vaults }),
    ...(actions !== undefined && { actions }),
    ...(deletions !== "" && maxDeletions !== undefined && { maxDeletions }),
    ...(end !== "" && { expiresAt: new Date(chosenEnd).toISOString() }),
  };
  return isSame(after, bounds) ? { errors: { form: "You have not changed anything yet." } } : { bounds: after };
}

function vaultsError(vaults: readonly string[]): Pick<LimitErrors, "vaults"> {
  if (vaults.length === 0) return { vaults: "Choose at least one vault. To allow nothing, remove its access." };
  return vaults.length > most.vaults ? { vaults: `Choose at most ${most.vaults} vaults.` } : {};
}

/** @param latestEndsAt undefined for an end that stays: tokens that cannot be renewed end before it */
function endError(end: number, latestEndsAt: string | undefined, now: number): Pick<LimitErrors, "end"> {
  if (Number.isNaN(end)) return { end: "Enter a date and a time." };
  if (end <= now) return { end: "Choose a time in the future." };
  if (latestEndsAt === undefined || end <= Date.parse(latestEndsAt)) return {};
  return { end: `Choose a time up to ${momentInWords(latestEndsAt)}. Then it must ask you again.` };
}

function isSame(one: Bounds, two: Bounds): boolean {
  const textOf = ({ vaults, actions, maxDeletions, expiresAt }: Bounds) =>
    JSON.stringify([vaults && [...vaults].sort(), actions, maxDeletions, expiresAt]);
  return textOf(one) === textOf(two);
}

/** Returns a time for a field of the type `datetime-local`. @param at in ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
