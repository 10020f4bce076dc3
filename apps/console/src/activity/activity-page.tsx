import { useNavigate, useQuery } from "../elements/link.js";
import "./activity.css";
import { saveText } from "@platform-rpc/accounts/browser/output/save-text";
import { type InfiniteData, type QueryKey, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Moment } from "../elements/moment.js";
import { useTitle } from "../elements/use-title.js";
import { callAccount } from "../session/call-account.js";
import { useLibrary } from "../vaults/library.js";
import { type ActivityFilter, isFiltered, type ActivityPage as Listed, noFilter, readActivity } from "./activity.js";
import { DiscardedCopies } from "./discarded-copies.js";
import { Entries } from "./entries.js";
import { Filters } from "./filters.js";
import { toCsv } from "./words.js";

const none = { software: "", item: "" };

/** What happened in the account of the person, and in the vaults that they may manage. */
export function ActivityPage() {
  useTitle("Activity");
  const search = useQuery();
  const navigate = useNavigate();
  const { rows } = useLibrary();
  const [chosen, setChosen] = useState(noFilter);
  // Other pages link to what software did, and to what was done with an item.
  const linked = { software: search.get("software") ?? "", item: search.get("item") ?? "" };
  const filter = linked.software === "" && linked.item === "" ? chosen : { ...chosen, ...linked };
  const setFilter = (wanted: ActivityFilter) => {
    setChosen(wanted === noFilter ? noFilter : { ...wanted, ...none });
    if (wanted === noFilter && filter !== chosen) navigate({ to: "." });
  };
  const { entries, readTo, error, hasNextPage, isFetching, fetchNextPage, refetch } = useActivity(filter);
  return (
    <>
      <h1>Activity</h1>
      <p className="hint">
        What you did, what was done to your account, and what anyone did in the vaults that you manage, as the server
        recorded it. The titles are known to your browser alone.
      </p>
      <DiscardedCopies />
      <Filters filter={filter} onFilter={setFilter} />
      {linked.software !== "" && (
        <p>
          Only what{" "}
          <bdi>{entries?.find(({ software }) => software !== undefined)?.software?.name ?? "one program"}</bdi> did.
        </p>
      )}
      {linked.item !== "" && (
        <p>
          Only what was done with <bdi>{rows.find(({ key }) => key === linked.item)?.title || "one item"}</bdi>.
        </p>
      )}
      <ExportButton filter={filter} />
      <ErrorMessage error={error} />
      {entries !== undefined && entries.length === 0 && !isFetching && (
        <NothingFound filtered={isFiltered(filter)} searchedAll={!hasNextPage} />
      )}
      <Entries entries={entries ?? []} />
      <p role="status" className="hint">
        {isFetching ? "Loading…" : summaryOf(entries?.length)}
        {!isFetching && hasNextPage && readTo !== undefined && (
          <>
            {" "}
            Searched back to <Moment at={readTo} />.
          </>
        )}
      </p>
      <div className="actions">
        {hasNextPage && (
          <button type="button" disabled={isFetching} onClick={() => fetchNextPage()}>
            Load more
          </button>
        )}
        <button type="button" disabled={isFetching} onClick={() => refetch()}>
          Refresh
        </button>
      </div>
    </>
  );
}

function NothingFound({ filtered, searchedAll }: { readonly filtered: boolean; readonly searchedAll: boolean }) {
  if (!searchedAll) return <p>Nothing yet. Older entries were not searched: select “Load more”.</p>;
  return filtered ? (
    <p>Nothing that happened matches these filters. Clear them, or choose a longer period.</p>
  ) : (
    <p>
      Nothing happened yet. Sign in on another device, delete an item, or let an agent act for you: each of these
      appears here, with who did it and when.
    </p>
  );
}

function summaryOf(count: number | undefined): string {
  return count === undefined || count === 0 ? "" : `${count} ${count === 1 ? "entry" : "entries"}.`;
}

const limits = { entries: 50, requests: 20 };

/** Lists what the filter selects, the newest first. */
export function useActivity(filter: ActivityFilter) {
  const listed = useInfiniteQuery<Listed, Error, InfiniteData<Listed>, QueryKey, number | undefined>({
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

/** A file has at most this many entries, and comes from this many requests. */
const fileLimits = { entries: 10_000, requests: 120 };

/** Downloads what the filter selects as a CSV file, and says if it does not contain everything. */
function ExportButton({ filter }: { readonly filter: ActivityFilter }) {
  const saving = useMutation({
    async mutationFn() {
      const { entries, next, readTo } = await readActivity(filter, undefined, fileLimits, callAccount);
      saveText(`activity-${new Date().toISOString().slice(0, 10)}.csv`, toCsv(entries), "text/csv");
      const cut =
        next === undefined ? "" : ` It was cut: it contains nothing from before ${readTo}. Choose a shorter period.`;
      return `The file has ${entries.length} ${entries.length === 1 ? "entry" : "entries"}.${cut}`;
    },
  });
  return (
    <div className="actions">
      <button type="button" disabled={saving.isPending} onClick={() => saving.mutate()}>
        Export as CSV
      </button>
      <span role="status">{saving.isPending ? "Collecting the entries…" : saving.data}</span>
      <ErrorMessage error={saving.error} />
    </div>
  );
}
