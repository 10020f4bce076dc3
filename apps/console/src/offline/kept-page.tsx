import { isUnlocked } from "@platform-rpc/accounts/browser/kept-keys";
import { usePasskeyHere } from "@platform-rpc/accounts/browser/passkeys";
import { unlockWithout } from "@platform-rpc/accounts/browser/unlock-browser";
import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys } from "@platform-rpc/accounts/keys/recovery-keys";
import { unwrapUserKeys, type WrappedUserKeys } from "@platform-rpc/accounts/keys/wrap-user-keys";
import { brandName } from "@platform-rpc/accounts/pages/brand";
import { type ReactNode, useEffect } from "react";
import { ProofForm } from "../security/prove-dialog.js";
import { type KeptPerson, keptPerson } from "../session/kept-person.js";
import { type OpenedSession, withKeys } from "../session/open-session.js";

/**
 * Returns the session of the page that the worker has kept, once the browser is unlocked, without a call. Undefined if the browser keeps keys
 * and no copies: then only the server knows what to do. Without both, the page says so, and never resolves.
 *
 * @param show shows what the person sees until then
 */
export async function openKeptSession(show: (page: ReactNode) => void): Promise<OpenedSession | undefined> {
  const kept = await keptPerson();
  if (kept === undefined && (await isUnlocked())) return undefined;
  if (kept === undefined) {
    show(<SignedOut />);
    return new Promise(() => {});
  }
  const { person } = kept;
  // The session that the browser has when the server answers may be that of somebody else.
  document.documentElement.setAttribute("data-kept", person.principalId);
  for (;;) {
    const session = (await isUnlocked()) ? await withKeys(person) : undefined;
    if (session !== undefined) return { session };
    await new Promise<void>((unlocked) => show(<UnlockOffline kept={kept} onUnlocked={unlocked} />));
  }
}

interface UnlockOfflineProps {
  readonly kept: KeptPerson;
  readonly onUnlocked: () => void;
}

const reload = () => location.reload();

/** A page without the server. It opens again when the network is back. */
function OfflinePage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, []);
  return (
    <main className="card unlock-offline">
      <p className="brand">
        <img src="/assets/icon.svg" alt="" width="24" height="24" />
        {brandName}
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

/** What a browser shows that keeps nothing of anybody. */
function SignedOut() {
  return (
    <OfflinePage title="Signed out">
      <p className="notice">
        Offline: the server does not answer. You are signed out in this browser, which has removed your keys and the
        copies of your vaults.
      </p>
      <button type="button" className="primary" onClick={reload}>
        Try the network again
      </button>
    </OfflinePage>
  );
}

function UnlockOffline({ kept, onUnlocked }: UnlockOfflineProps) {
  return (
    <OfflinePage title="Locked">
      <p className="notice">
        Offline: the server does not answer. You can unlock and read what this browser has kept of your vaults. If you
        have signed out elsewhere, it is removed when the network is back.
      </p>
      <ProofForm
        passkeyWords="Unlock with your passkey"
        withPasskey={() => unlockWithPasskey(kept).then(onUnlocked)}
        withCode={(typed) => unlockWithCode(kept, typed).then(onUnlocked)}
        otherWords="Try the network again"
        onOther={reload}
      />
    </OfflinePage>
  );
}

/** Unlocks the browser without the server, with a passkey. @throws Error for the person (as a rejection) */
async function unlockWithPasskey(kept: KeptPerson): Promise<void> {
  const { passkeys } = kept.wrapped;
  const { response, secret } = await usePasskeyHere(passkeys.filter(({ wrappedKeys }) => wrappedKeys !== undefined));
  const used = passkeys.find(({ id }) => id === response.id);
  await unlock(kept, "passkey", used?.wrappedKeys, secret);
}

/** Unlocks the browser without the server, with the recovery code. @throws Error for the person (as a rejection) */
async function unlockWithCode(kept: KeptPerson, typed: string): Promise<void> {
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
