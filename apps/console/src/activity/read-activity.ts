import { type ActivityEntry, type ActivityFilter, type ActivityPage, queryOf } from "./activity.js";

/** How much is read before the result is shown. */
export interface ReadLimits {
  /** Enough entries, or one more page. */
  readonly entries: number;
  /** The largest number of requests. Each reads a bounded part of the audit trail. */
  readonly requests: number;
}

/** Entries, and where more of them are. */
export interface ReadActivity extends ActivityPage {
  readonly entries: readonly ActivityEntry[];
}

/** Calls an endpoint of the accounts origin: `callAccount`. */
type Fetch = (path: string) => Promise<ActivityPage>;

/** Reads pages until there are enough entries: a part of the trail may contain none. */
export async function readActivity(
  filter: ActivityFilter,
  start: number | undefined,
  limits: ReadLimits,
  fetchPage: Fetch,
): Promise<ReadActivity> {
  const entries: ActivityEntry[] = [];
  let page: ActivityPage = { entries, ...(start !== undefined && { next: start }) };
  for (let request = 0; request < limits.requests && entries.length < limits.entries; request += 1) {
    page = await fetchPage(`activity?${queryOf(filter, page.next)}`);
    entries.push(...page.entries);
    if (page.next === undefined) break;
  }
  return { ...page, entries };
}
