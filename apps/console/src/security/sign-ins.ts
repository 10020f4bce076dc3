import type { describedAccess } from "@platform-rpc/accounts/account/access-api";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";

/** What signs the person in: the response of `GET /account/api/access`. Times are in ISO 8601. */
type Access = ReturnType<typeof describedAccess>;

export type ListedSession = Access["sessions"][number];

export type ListedPasskey = Access["passkeys"][number];

export interface EndedAccess {
  readonly kind: "session" | "passkey";
  readonly id: string;
  readonly done: string;
}

export interface Renamed {
  readonly kind: "passkey" | "device";
  readonly id: string;
  readonly name: string;
}

const queryKey = ["access"];

/** @param everyMs how often it is asked again while the page is shown, in milliseconds. Default: never */
export function useAccess(everyMs: number | false = false) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey });
  const queryFn = () => callAccount<Access>("access");
  const listed = useQuery({ queryKey, queryFn, staleTime: 0, refetchInterval: everyMs, refetchOnWindowFocus: true });
  const ending = useMutation({
    mutationFn: ({ kind, id }: EndedAccess) => callAccount("access/end", { kind, id }),
    onSettled: refresh,
  });
  const renaming = useMutation({
    mutationFn: ({ kind, ...renamed }: Renamed) =>
      callAccount(kind === "passkey" ? "passkeys/rename" : "devices", renamed),
    onSettled: refresh,
  });
  const knowing = useMutation({
    mutationFn: (id: string) => callAccount("devices", { id, known: true }),
    onSettled: refresh,
  });
  return { listed, ending, renaming, knowing };
}
