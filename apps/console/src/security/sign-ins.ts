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
  /** What the page says when it has ended. */
  readonly done: string;
}

const queryKey = ["access"];

export function useAccess() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey });
  const listed = useQuery({ queryKey, queryFn: () => callAccount<Access>("access"), staleTime: 0 });
  const ending = useMutation({
    mutationFn: ({ kind, id }: EndedAccess) => callAccount("access/end", { kind, id }),
    onSettled: refresh,
  });
  const renaming = useMutation({
    mutationFn: (renamed: { readonly id: string; readonly name: string }) => callAccount("passkeys/rename", renamed),
    onSettled: refresh,
  });
  return { listed, ending, renaming };
}
