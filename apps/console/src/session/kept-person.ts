import { settled } from "@platform-rpc/accounts/browser/browser-store";
import type { ListedCertificates } from "@platform-rpc/accounts/browser/certified-programs";
import { vaultRecords } from "@platform-rpc/accounts/browser/vault-records";
import type { SealedMemberKeys } from "@platform-rpc/accounts/keys/member-keys";
import type { WrappedUserKeys } from "@platform-rpc/accounts/keys/wrap-user-keys";
import type { ConsoleSession } from "./session.js";

/** What unlocks the browser: only a passkey of the person, or their recovery code, opens it. And whose items it verifies. */
export interface WrappedKeys {
  readonly passkeys: readonly { readonly id: string; readonly wrappedKeys?: WrappedUserKeys }[];
  readonly recovery?: WrappedUserKeys;
  readonly memberKeys: SealedMemberKeys;
  /** The programs that the person has certified: what they have written is verified without a network, too. */
  readonly certificates: ListedCertificates;
}

export interface KeptPerson {
  readonly person: Omit<ConsoleSession, "keys">;
  readonly wrapped: WrappedKeys;
}

export const personKey = ["person"];

/** Returns whose copies this browser keeps. Undefined if it keeps none. */
export function keptPerson(): Promise<KeptPerson | undefined> {
  return vaultRecords.use("readonly", (records) => settled<KeptPerson | undefined>(records.get(personKey)));
}
