import { encodeBase64url } from "@platform-rpc/items/base64url";
import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";

/**
 * The input of the PRF extension. It is the same for every account, because at sign-in the browser does not know the account yet; the
 * output differs for each passkey. Wrapping adds a salt for each.
 *
 * @see https://www.w3.org/TR/webauthn-3/#prf-extension
 */
const prf = { eval: { first: new TextEncoder().encode("platform accounts 1: unlock user keys") } };

/**
 * Creates a passkey. Resolves with the response for the server, and the output of the PRF extension, which never leaves the browser:
 * 32 bytes that only this passkey can compute, or undefined if it does not support the extension.
 *
 * @param created is called with the id as soon as the device has the passkey, before anything else can fail
 */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON, created: (id: string) => void) {
  const { clientExtensionResults, ...response } = await explained(() =>
    startRegistration({ optionsJSON: { ...options, extensions: { ...options.extensions, prf } } }),
  );
  created(response.id);
  const { enabled, results } = clientExtensionResults.prf ?? {};
  // Some passkeys compute their output only when they are used.
  const secret =
    results === undefined && enabled === true ? await secretOf(options, response.id) : bytesOf(results?.first);
  return { response: { ...response, clientExtensionResults: {} }, secret };
}

/** A passkey that was used: the response for the server, and the output of the PRF extension, as above. */
export type UsedPasskey = ReturnType<typeof usedPasskey>;

export async function usePasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<UsedPasskey> {
  return usedPasskey(await explained(() => startAuthentication({ optionsJSON: withPrf(options) })));
}

/**
 * Waits until the person chooses a passkey that the browser suggests in a field. Rejects if the browser suggests none, or if another
 * ceremony begins.
 */
export async function useSuggestedPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<UsedPasskey> {
  return usedPasskey(await startAuthentication({ optionsJSON: withPrf(options), useBrowserAutofill: true }));
}

function withPrf(options: PublicKeyCredentialRequestOptionsJSON) {
  return { ...options, extensions: { ...options.extensions, prf } };
}

function usedPasskey({ clientExtensionResults, ...response }: AuthenticationResponseJSON) {
  return {
    response: { ...response, clientExtensionResults: {} },
    secret: bytesOf(clientExtensionResults.prf?.results?.first),
  };
}

/** Uses a new passkey once, only for its PRF output. */
async function secretOf({ rp }: PublicKeyCredentialCreationOptionsJSON, id: string) {
  return (await usePasskeyHere([{ id }], rp.id)).secret;
}

/** Uses a passkey only for its PRF output: no server checks this challenge. */
export function usePasskeyHere(passkeys: readonly { readonly id: string }[], rpId = location.hostname) {
  return usePasskey({
    challenge: encodeBase64url(crypto.getRandomValues(new Uint8Array(32))),
    rpId,
    allowCredentials: passkeys.map(({ id }) => ({ id, type: "public-key" })),
    userVerification: "required",
  });
}

/**
 * Asks the browser to remove all passkeys of an account that does not exist any more: the device would offer them at each sign-in. Does
 * nothing in a browser that cannot.
 *
 * @see https://www.w3.org/TR/webauthn-3/#sctn-signalAllAcceptedCredentials
 */
export async function forgetPasskeys(accountId: string): Promise<void> {
  if (!("PublicKeyCredential" in globalThis) || !("signalAllAcceptedCredentials" in PublicKeyCredential)) return;
  const userId = encodeBase64url(new TextEncoder().encode(accountId));
  const none = { rpId: location.hostname, userId, allAcceptedCredentialIds: [] };
  await PublicKeyCredential.signalAllAcceptedCredentials(none).catch(() => {});
}

async function explained<Result>(ceremony: () => Promise<Result>): Promise<Result> {
  if (!browserSupportsWebAuthn()) throw new Error("This browser does not support passkeys. Use your recovery code.");
  try {
    return await ceremony();
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : "";
    if (name === "InvalidStateError") throw new Error("This device already has a passkey of this account.");
    throw new Error("No passkey was used. Try again, or use your recovery code.", { cause: thrown });
  }
}

function bytesOf(source: ArrayBuffer | ArrayBufferView | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (source === undefined) return undefined;
  const view = ArrayBuffer.isView(source) ? source : new Uint8Array(source);
  return Uint8Array.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}
