import type { Model } from "@platform-rpc/server/testing";

/** A call on one account: the last step of its sign-up, which may be repeated, or a sign-in. */
export interface AccountRequest {
  readonly kind: "create" | "sign-in";
}

export type AccountResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** An account: it exists from its sign-up on, and a sign-up succeeds once. The state says whether it exists. */
export const accountModel: Model<boolean, AccountRequest, AccountResult> = {
  initial: false,
  step(exists, { kind }, result) {
    if (kind === "sign-in") return result !== undefined && result.ok === exists ? exists : undefined;
    if (result === undefined || result.ok) return exists ? undefined : true;
    return exists ? true : undefined;
  },
  spent: (exists, { kind }) => exists || kind === "sign-in",
  missed: () => false,
  keyOf: String,
};
