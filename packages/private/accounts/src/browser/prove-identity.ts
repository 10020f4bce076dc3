import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { parseRecoveryCode } from "../keys/recovery-code.js";
import { deriveRecoveryKeys, signRecoveryChallenge } from "../keys/recovery-keys.js";
import { unwrapUserKeys, type WrappedUserKeys } from "../keys/wrap-user-keys.js";
import { callApi, forgetUnsentLock } from "./api.js";
import { forgetUserKeys, keptUserKeys } from "./kept-keys.js";
import { type UsedPasskey, usePasskey } from "./passkeys.js";
import { replaceSession } from "./session-channel.js";
import { unlockBrowser } from "./unlock-browser.js";

/** A person who has signed in, and their serialized keys, if the proof unlocked them. */
export interface ProvenIdentity {
  readonly accountId: string;
  readonly keys: Uint8Array<ArrayBuffer> | undefined;
}

/** Returns the keys that a proof unlocked. @throws Error if it unlocked none */
export function unlockedKeys({ keys }: ProvenIdentity): Uint8Array<ArrayBuffer> {
  if (keys === undefined) throw new Error("This passkey cannot unlock your items. Use your recovery code instead.");
  return keys;
}

interface Begun {
  readonly challenge: string;
  readonly passkey: PublicKeyCredentialRequestOptionsJSON;
}

interface Finished {
  readonly accountId: string;
  readonly wrappedKeys?: WrappedUserKeys;
}

/** Signs in with a passkey. @param again whether the same person must already be signed in */
export async function proveWithPasskey(again: boolean): Promise<ProvenIdentity> {
  const { passkey } = await beginSignIn(again);
  return finishWithPasskey(await usePasskey(passkey));
}

/** Signs in with a passkey that was used for a challenge of `beginSignIn`. */
export async function finishWithPasskey({ response, secret }: UsedPasskey): Promise<ProvenIdentity> {
  const finished = await finishSignIn({ how: "passkey", response });
  return unlock(finished, "passkey", secret);
}

/** Signs in with a recovery code as it was typed. @param again whether the same person must already be signed in */
export async function proveWithRecoveryCode(typed: string, again: boolean): Promise<ProvenIdentity> {
  const parsed = parseRecoveryCode(typed);
  if (!parsed.ok) throw new Error(parsed.message);
  const { locator, signInKey, wrappingSecret } = await deriveRecoveryKeys(parsed.code);
  const { challenge } = await beginSignIn(again);
  const signature = await signRecoveryChallenge(signInKey, { origin: location.origin, challenge });
  const finished = await finishSignIn({ how: "recovery code", locator, signature });
  return unlock(finished, "recovery code", wrappingSecret);
}

/** Begins a sign-in. The one that this browser had begun before ends. */
export function beginSignIn(again: boolean): Promise<Begun> {
  return callApi<Begun>("sign-in/begin", { again });
}

function finishSignIn(proof: object): Promise<Finished> {
  return replaceSession(async () => {
    const finished = await callApi<Finished>("sign-in/finish", proof);
    forgetUnsentLock();
    return finished;
  });
}

async function unlock(
  { accountId, wrappedKeys }: Finished,
  purpose: "passkey" | "recovery code",
  secret: Uint8Array<ArrayBuffer> | undefined,
): Promise<ProvenIdentity> {
  if (wrappedKeys === undefined || secret === undefined) {
    // Who was unlocked before stays so. The keys of somebody else leave.
    if ((await keptUserKeys(accountId)) === undefined) await forgetUserKeys();
    return { accountId, keys: undefined };
  }
  const keys = await unwrapUserKeys(wrappedKeys, secret, { accountId, purpose });
  await unlockBrowser(accountId, keys);
  return { accountId, keys };
}
