import type { listActivity } from "@platform-rpc/accounts/account/activity-api";

type Listed = Awaited<ReturnType<typeof listActivity>>;

/** Something that happened: an entry of the audit trail, as the person may see it. Times are in ISO 8601. */
export type ActivityEntry = Readonly<Listed["entries"][number]>;

/** A page of entries, the newest first: the response of `GET /account/api/activity`. */
export interface ActivityPage extends Partial<Pick<Listed, "next" | "readTo">> {
  readonly entries: readonly ActivityEntry[];
}

/** What the person wants to see. An empty text selects everything. */
export interface ActivityFilter {
  /** The first day, such as `2026-11-22`, in the time zone of the browser. */
  readonly from: string;
  /** The last day. */
  readonly until: string;
  readonly kind: "" | "items" | "sign-ins" | "agents";
  readonly vault: string;
  /** An item, such as `v-1/i-1`. */
  readonly item: string;
  /** The id of an OAuth client. */
  readonly software: string;
  readonly by: "" | "me" | "software";
}

export const noFilter: ActivityFilter = {
  ...{ from: "", until: "", kind: "", vault: "", item: "", software: "", by: "" },
};

export function isFiltered(filter: ActivityFilter): boolean {
  return Object.values(filter).some((value) => value !== "");
}

/** Returns the query of a page. @param before `next` of the page before */
export function queryOf({ from, until, ...equal }: ActivityFilter, before: number | undefined): string {
  const query = new URLSearchParams(Object.entries(equal).filter(([, value]) => value !== ""));
  if (from !== "") query.set("from", new Date(`${from}T00:00`).toISOString());
  if (until !== "") query.set("until", dayAfter(until).toISOString());
  if (before !== undefined) query.set("before", String(before));
  return query.toString();
}

function dayAfter(day: string): Date {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + 1);
  return date;
}

/** How much is read before the result is shown. */
interface ReadLimits {
  /** Enough entries, or one more page. */
  readonly entries: number;
  /** The largest number of requests. Each reads a bounded part of the audit trail. */
  readonly requests: number;
}

/** Calls an endpoint of the accounts origin: `callAccount`. */
type Fetch = (path: string) => Promise<ActivityPage>;

/** Reads pages until there are enough entries: a part of the trail may contain none. */
export async function readActivity(
  filter: ActivityFilter,
  start: number | undefined,
  limits: ReadLimits,
  fetchPage: Fetch,
): Promise<ActivityPage> {
  const entries: ActivityEntry[] = [];
  let page: ActivityPage = { entries, ...(start !== undefined && { next: start }) };
  for (let request = 0; request < limits.requests && entries.length < limits.entries; request += 1) {
    page = await fetchPage(`activity?${queryOf(filter, page.next)}`);
    entries.push(...page.entries);
    if (page.next === undefined) break;
  }
  return { ...page, entries };
}
