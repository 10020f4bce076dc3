import type { listConnectedSoftware } from "@platform-rpc/accounts/account/connected-software";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";

/** A login of software that acts for the person. Times are in ISO 8601. */
export type Agent = Awaited<ReturnType<typeof listConnectedSoftware>>[number];

/** What an approval is limited to. What is absent is not limited. */
export type Bounds = NonNullable<Agent["bounds"]>;

/** New bounds, and those that the person saw. */
export interface AgentChange {
  readonly id: string;
  readonly bounds: Bounds;
  readonly expected: Bounds;
}

const queryKey = ["agents"];

/** How often the page asks what was used since. */
const refreshMs = 10_000;

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
