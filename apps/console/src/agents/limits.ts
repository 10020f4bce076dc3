import { hostIn } from "@platform-rpc/items/item-use";
import { momentInWords } from "../elements/moment.js";
import type { Agent, Bounds } from "./agents.js";

/** What a person has typed and chosen as the limits of a login. */
export interface Limits {
  /** How many items it may still delete. Empty: no limit. */
  readonly deletions: string;
  /** How often it may still use items. Empty: no limit. */
  readonly uses: string;
  /** The hosts at which it may use items, one in each line. Empty: all hosts of the items. */
  readonly hosts: string;
  readonly asksEachTime: boolean;
  /** Undefined: all vaults of the person. */
  readonly vaults: readonly string[] | undefined;
  /** In the time zone of the browser, such as `2026-11-27T18:30`. Empty: as long as the login can last. */
  readonly end: string;
}

export interface LimitErrors {
  readonly deletions?: string;
  readonly uses?: string;
  readonly hosts?: string;
  readonly vaults?: string;
  readonly end?: string;
  /** Of no field alone. */
  readonly form?: string;
}

type Limited = Pick<Agent, "bounds" | "used" | "latestEndsAt">;

const most = { count: 4_294_967_295, hosts: 20, vaults: 20 };

/** Returns the limits of a login as they are: what the fields contain first. */
export function limitsOf({ bounds = {}, used }: Limited): Limits {
  const { maxDeletions, maxUses, hosts = [], asksEachTime = false, vaults, expiresAt } = bounds;
  return {
    deletions: leftOf(maxDeletions, used?.deletions),
    uses: leftOf(maxUses, used?.uses),
    hosts: hosts.join("\n"),
    asksEachTime,
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
  const { bounds = {}, used, latestEndsAt } = agent;
  const before = limitsOf(agent);
  const { deletions, uses, asksEachTime, vaults, end } = limits;
  const hosts = limits.hosts === before.hosts ? bounds.hosts : hostsIn(limits.hosts);
  const maxDeletions = mostOf([before.deletions, deletions], bounds.maxDeletions, used?.deletions);
  const maxUses = mostOf([before.uses, uses], bounds.maxUses, used?.uses);
  const keepsEnd = end === before.end;
  const chosenEnd = keepsEnd ? Date.parse(bounds.expiresAt ?? latestEndsAt) : Date.parse(end);
  const errors: LimitErrors = {
    ...countError("deletions", maxDeletions, used?.deletions),
    ...countError("uses", maxUses, used?.uses),
    ...hostsError(hosts),
    ...(vaults !== undefined && vaultsError(vaults)),
    ...(end !== "" && endError(chosenEnd, keepsEnd ? undefined : latestEndsAt, now)),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const { actions } = bounds;
  const after: Bounds = {
    ...(vaults !== undefined && { vaults }),
    ...(actions !== undefined && { actions }),
    ...(maxDeletions !== undefined && { maxDeletions }),
    ...(maxUses !== undefined && { maxUses }),
    ...(hosts !== undefined && { hosts }),
    ...(asksEachTime && { asksEachTime }),
    ...(end !== "" && { expiresAt: new Date(chosenEnd).toISOString() }),
  };
  return isSame(after, bounds) ? { errors: { form: "You have not changed anything yet." } } : { bounds: after };
}

/** Returns what is left of a number, as a text. Empty: it is not limited. */
function leftOf(most: number | undefined, used = 0): string {
  return most === undefined ? "" : String(Math.max(0, most - used));
}

/** Returns the largest number in all. NaN: the person has typed something else than a number. */
function mostOf([before, typed]: readonly [string, string], most: number | undefined, used = 0): number | undefined {
  if (typed === before) return most;
  if (typed === "") return undefined;
  return /^[0-9]{1,10}$/.test(typed.trim()) ? used + Number(typed) : Number.NaN;
}

function countError(name: "deletions" | "uses", count = 0, used = 0): LimitErrors {
  if (count <= most.count) return {};
  return { [name]: `Enter a whole number from 0 to ${most.count - used}, or nothing.` };
}

/** Returns the hosts in a text, in the stored form; undefined without any. A part of the text that is not a host becomes an empty one. */
function hostsIn(text: string): readonly string[] | undefined {
  const hosts = text.split(/[\s,]+/).filter((part) => part !== "");
  return hosts.length === 0 ? undefined : [...new Set(hosts.map((part) => hostIn(part) ?? ""))].sort();
}

function hostsError(hosts: readonly string[] = []): LimitErrors {
  if (hosts.length > most.hosts) return { hosts: `Enter at most ${most.hosts} websites.` };
  const isHost = (host: string) => host !== "" && !host.includes("*");
  return hosts.every(isHost) ? {} : { hosts: "Enter each website as a host, such as api.github.com." };
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
  const textOf = ({ vaults, actions, maxDeletions, maxUses, hosts, asksEachTime, expiresAt }: Bounds) =>
    JSON.stringify([vaults && [...vaults].sort(), actions, maxDeletions, maxUses, hosts, asksEachTime, expiresAt]);
  return textOf(one) === textOf(two);
}

/** Returns a time for a field of the type `datetime-local`. @param at in ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
