import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";

/** What an approval is limited to. What is absent is not limited. */
export interface Bounds {
  /** Ids of vaults, at most 20. */
  readonly vaults?: readonly string[];
  /** Of `read`, `write`, `delete` and `restore`. */
  readonly actions?: readonly string[];
  readonly maxDeletions?: number;
  /** In ISO 8601. */
  readonly expiresAt?: string;
}

/** A login of software that acts for the person. Times are in ISO 8601. */
export interface Agent {
  readonly id: string;
  /** The name of its OAuth client, which other logins can have as well. */
  readonly name: string;
  readonly oauthClientId: string;
  /** Where it signed in: the network address of the software, or the browser in which the person approved. Absent: unknown. */
  readonly device?: string;
  /** The thumbprint of the key to which its tokens are bound. Absent: none. */
  readonly deviceKeyId?: string;
  readonly scopes: readonly { readonly scope: string; readonly words: string }[];
  /** Whether it renews its tokens until its access ends. */
  readonly renewable: boolean;
  /** Absent: nothing but the scopes limits it. */
  readonly bounds?: Bounds;
  /** Absent without bounds. */
  readonly used?: { readonly deletions: number };
  readonly approvedAt: string;
  readonly lastUsedAt: string;
  readonly endsAt: string;
  /** The latest end that the person can allow. */
  readonly latestEndsAt: string;
}

/** New bounds, and those that the person saw. */
export interface AgentChange {
  readonly id: string;
  readonly bounds: Bounds;
  readonly expected: Bounds;
}

const queryKey = ["agents"];

/** How often the page asks what was used since. */
const refreshMs = 10_000;

/** Lists and changes what software may do for the person. */
export function useAgents() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey });
  const listed = useQuery({
    queryKey,
    queryFn: () => callAccount<{ readonly delegations: readonly Agent[] }>("delegations"),
    staleTime: 0,
    refetchInterval: refreshMs,
    // Another tab may have changed it.
    refetchOnWindowFocus: true,
  });
  const changing = useMutation({
    mutationFn: (change: AgentChange) => callAccount("delegations/change", change),
    onSettled: refresh,
  });
  const ending = useMutation({
    mutationFn: ({ id }: Agent) => callAccount("access/end", { kind: "software", id }),
    onSettled: refresh,
  });
  return { listed, agents: listed.data?.delegations, changing, ending };
}
