import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callAccount } from "../session/call-account.js";

/** Where the person is signed in. Times are in ISO 8601. */
export interface ListedSession {
  readonly id: string;
  /** Whether it is the session of this browser. */
  readonly current: boolean;
  readonly browser: string;
  readonly address: string;
  readonly how: string;
  readonly signedInAt: string;
  readonly lastSeenAt: string;
}

export interface ListedPasskey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly synchronized: boolean;
  readonly unlocksItems: boolean;
}

/** What signs the person in: the response of `GET /account/api/access`. */
interface Access {
  /** Whether the person has stored a recovery code. */
  readonly recoveryCode: boolean;
  readonly sessions: readonly ListedSession[];
  readonly passkeys: readonly ListedPasskey[];
}

export interface EndedAccess {
  readonly kind: "session" | "passkey";
  readonly id: string;
  /** What the page says when it has ended. */
  readonly done: string;
}

const queryKey = ["access"];

/** Lists and changes what signs the person in. */
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
