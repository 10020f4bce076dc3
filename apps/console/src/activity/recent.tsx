import "./activity.css";
import { useQuery } from "@tanstack/react-query";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { callAccount } from "../session/call-account.js";
import { noFilter, readActivity } from "./activity.js";
import { Entries } from "./entries.js";

/** So many entries, from so many parts of the trail: the page Activity has all of them. */
const limits = { entries: 10, requests: 5 };

/** The newest acts of software, or those with an item. */
export function RecentActivity({ of }: { readonly of: { readonly software: string } | { readonly item: string } }) {
  const filter = { ...noFilter, ...of };
  const { data, error, isPending } = useQuery({
    queryKey: ["recent activity", filter],
    queryFn: () => readActivity(filter, undefined, limits, callAccount),
    staleTime: 0,
    gcTime: 0,
  });
  const entries = data?.entries.slice(0, limits.entries) ?? [];
  return (
    <>
      <ErrorMessage error={error} />
      {isPending && <p role="status">Loading…</p>}
      {data !== undefined && entries.length === 0 && <p>No recent activity.</p>}
      <Entries entries={entries} />
      <p>
        <Link to="/activity" search={{ ...of }}>
          Show all activity
        </Link>
      </p>
    </>
  );
}
