import { type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";
import type { ActivityFilter } from "./activity.js";
import { type ReadActivity, readActivity } from "./read-activity.js";

const limits = { entries: 50, requests: 20 };

/** Lists what the filter selects, the newest first. */
export function useActivity(filter: ActivityFilter) {
  const listed = useInfiniteQuery<ReadActivity, Error, InfiniteData<ReadActivity>, QueryKey, number | undefined>({
    queryKey: ["activity", filter],
    queryFn: ({ pageParam }) => readActivity(filter, pageParam, limits, callAccount),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: 0,
  });
  const pages = listed.data?.pages;
  return { ...listed, entries: pages?.flatMap(({ entries }) => entries), readTo: pages?.at(-1)?.readTo };
}
