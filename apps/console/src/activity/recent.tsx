import "./activity.css";
import { useQuery } from "@tanstack/react-query";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { callAccount } from "../session/call-account.js";
import { noFilter, readActivity } from "./activity.js";
import { Entries } from "./entries.js";

/** So many entries, from so many parts of the trail: the page Activity has all of them. */
const limits = { entries: 10, requests: 5 };

/** The newest acts of software. */
export function RecentActivity({ software }: { readonly software: string }) {
  const filter = { ...noFilter, software };
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
        <Link to="/activity" search={{ software }}>
          Show all activity
        </Link>
      </p>
    </>
  );
}
