import { usePasskeyHere } from "@platform-rpc/accounts/browser/passkeys";
import { unlockWithout } from "@platform-rpc/accounts/browser/unlock-browser";
import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys } from "@platform-rpc/accounts/keys/recovery-keys";
import { unwrapUserKeys, type WrappedUserKeys } from "@platform-rpc/accounts/keys/wrap-user-keys";
import type { KeptPerson } from "../session/kept-person.js";

/** Unlocks the browser without the server, with a passkey. @throws Error for the person (as a rejection) */
export async function unlockWithPasskey(kept: KeptPerson): Promise<void> {
  const { passkeys } = kept.wrapped;
  const { response, secret } = await usePasskeyHere(passkeys.filter(({ wrappedKeys }) => wrappedKeys !== undefined));
  const used = passkeys.find(({ id }) => id === response.id);
  await unlock(kept, "passkey", used?.wrappedKeys, secret);
}

/** Unlocks the browser without the server, with the recovery code. @throws Error for the person (as a rejection) */
export async function unlockWithCode(kept: KeptPerson, typed: string): Promise<void> {
  const parsed = parseRecoveryCode(typed);
  if (!parsed.ok) throw new Error(parsed.message);
  const { wrappingSecret } = await deriveRecoveryKeys(parsed.code);
  await unlock(kept, "recovery code", kept.wrapped.recovery, wrappingSecret);
}

async function unlock(
  { person, wrapped }: KeptPerson,
  purpose: "passkey" | "recovery code",
  wrappedKeys: WrappedUserKeys | undefined,
  secret: Uint8Array<ArrayBuffer> | undefined,
): Promise<void> {
  const { principalId: accountId } = person;
  const unwrapped =
    wrappedKeys && secret && (await unwrapUserKeys(wrappedKeys, secret, { accountId, purpose }).catch(() => undefined));
  if (unwrapped === undefined) throw new Error(`This ${purpose} does not unlock the vault that this browser has kept.`);
  await unlockWithout(wrapped.memberKeys, accountId, unwrapped);
}
