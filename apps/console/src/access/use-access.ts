import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";
import type { Access, EndedAccess } from "./access.js";

const queryKey = ["access"];

/** Lists and changes the access of the person. */
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
