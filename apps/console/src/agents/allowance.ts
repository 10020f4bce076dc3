import type { Agent, Bounds } from "./agents.js";

/** A part of a sentence. */
export interface Words {
  readonly text: string;
  /** What it names. Default: nothing. */
  readonly names?: "vault" | "end";
}

/**
 * Returns in one sentence what software may still do, such as `Can read items, and delete 7 more (of 25), in Personal, until Friday.`
 *
 * @param now in milliseconds since the epoch
 */
export function allowanceInWords(
  { bounds = {}, used, scopes, endsAt }: Pick<Agent, "bounds" | "used" | "scopes" | "endsAt">,
  now: number,
): readonly Words[] {
  const { vaults } = bounds;
  if (Date.parse(endsAt) <= now) return [{ text: "Nothing: its time is over." }];
  const until: readonly Words[] = [
    { text: ", until " },
    { text: dayInWords(endsAt, now), names: "end" },
    { text: "." },
  ];
  const actions = actionsOf({ bounds, scopes });
  if (actions.length === 0) return [{ text: "Nothing in your vaults" }, ...until];
  if (vaults?.length === 0) return [{ text: "Nothing: you allow it no vault" }, ...until];
  const where: readonly Words[] =
    vaults === undefined ? [{ text: " in all your vaults" }] : [{ text: " in " }, ...vaultsInWords(vaults)];
  return [{ text: `Can ${actionsInWords(actions, bounds, used)}` }, ...where, ...until];
}

/** Returns the actions with what is left of the deletions and uses, such as `read and change items, and delete 7 more (of 25),`. */
function actionsInWords(actions: readonly string[], bounds: Bounds, used: Agent["used"]): string {
  const { maxDeletions } = bounds;
  const isLimited = maxDeletions !== undefined && actions.includes("delete");
  const verbs = actions.filter((action) => action !== "use" && (action !== "delete" || !isLimited));
  const parts: string[] = [];
  if (verbs.length > 0) {
    parts.push(`${conjunction.format(verbs.map((action) => (action === "write" ? "change" : action)))} items`);
  }
  if (isLimited) {
    const left = leftOf(maxDeletions, used?.deletions);
    const more = parts.length > 0 ? "more" : `more ${left === 1 ? "item" : "items"}`;
    parts.push(`delete ${left} ${more} (of ${maxDeletions})`);
  }
  const uses = actions.includes("use");
  if (uses) parts.push(useInWords(verbs.length > 0 ? "them" : "items", bounds, used?.uses));
  const last = parts.pop() ?? "";
  if (parts.length === 0) return uses ? `${last},` : last;
  return `${parts.join(", ")}, and ${last},`;
}

/** Returns what is left of the uses, such as `use items 47 more times (of 50) at api.example.com, without seeing them`. */
function useInWords(what: string, { maxUses, hosts, asksEachTime }: Bounds, used: number | undefined): string {
  const left = maxUses === undefined ? undefined : leftOf(maxUses, used);
  const limits = [
    ...(left === undefined ? [] : [` ${left} more ${left === 1 ? "time" : "times"} (of ${maxUses})`]),
    ...(hosts === undefined ? [] : [` at ${conjunction.format(hosts) || "no website"}`]),
  ];
  return `${asksEachTime ? "ask you to use" : "use"} ${what}${limits.join("")}${limits.length > 0 ? "," : ""} without seeing them`;
}

function leftOf(most: number, used = 0): number | "no" {
  return Math.max(0, most - used) || "no";
}

const conjunction = new Intl.ListFormat("en", { type: "conjunction" });

function vaultsInWords(vaults: readonly string[]): readonly Words[] {
  return conjunction
    .formatToParts(vaults)
    .map(({ type, value }) => (type === "element" ? { text: value, names: "vault" } : { text: value }));
}

/** Returns what both the scopes and the bounds allow. */
function actionsOf({ bounds = {}, scopes }: Pick<Agent, "bounds" | "scopes">): readonly string[] {
  const scoped = (["read", "write", "delete", "restore", "use"] as const).filter((action) =>
    scopes.some(({ scope }) => scope === `vault.items:${action}`),
  );
  return scoped.filter((action) => bounds.actions?.includes(action) ?? true);
}

const hour = new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
const day = new Intl.DateTimeFormat("en", { month: "long", day: "numeric" });
const dayOfYear = new Intl.DateTimeFormat("en", { dateStyle: "long" });

/**
 * Returns a later time in the time zone of the browser, as people say it: `6:30 PM today`, `6:30 PM tomorrow`, `Friday`, `December 27`.
 *
 * @param at in ISO 8601
 * @param now in milliseconds since the epoch
 */
export function dayInWords(at: string, now: number): string {
  const then = new Date(at);
  const days = daysBetween(new Date(now), then);
  if (days <= 0) return `${hour.format(then)} today`;
  if (days === 1) return `${hour.format(then)} tomorrow`;
  // In seven days, the weekday is that of today.
  if (days < 7) return weekday.format(then);
  return (then.getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(then);
}

/** Returns how many midnights are between two times. A day can have 23 or 25 hours. */
function daysBetween(one: Date, two: Date): number {
  const [from, to] = [one, two].map((date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime());
  return Math.round(((to ?? 0) - (from ?? 0)) / 86_400_000);
}
