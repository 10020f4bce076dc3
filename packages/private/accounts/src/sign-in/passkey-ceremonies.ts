import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL } from "@simplewebauthn/server/helpers";
import * as z from "zod";
import { longestPublicKey, type Passkey } from "../people/account.js";
import { base64url } from "../people/base64url.js";

const transport = z.enum(["ble", "hybrid", "internal", "nfc", "usb"]);
const text = base64url(0, 16_384);
const credential = {
  id: text.min(1).max(1364),
  rawId: text.min(1).max(1364),
  type: z.literal("public-key"),
  // What the extensions return is for the browser alone: the PRF output unwraps keys.
  clientExtensionResults: z.strictObject({}),
};

export const newPasskeyResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(transport).max(transport.options.length).default([]),
  }),
});

export const passkeyResponse = z.object({
  ...credential,
  response: z.object({ clientDataJSON: text, authenticatorData: text, signature: text, userHandle: text }),
});

export type NewPasskeyResponse = z.infer<typeof newPasskeyResponse>;
export type PasskeyResponse = z.infer<typeof passkeyResponse>;

/** Ed25519, ES256 and RS256. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** Returns the options of `navigator.credentials.create` for a passkey of this account. */
export async function newPasskeyOptions(
  origin: string,
  account: { readonly accountId: string; readonly displayName: string; readonly passkeys: readonly Passkey[] },
  challenge: Buffer,
) {
  return generateRegistrationOptions({
    rpName: "Platform",
    rpID: new URL(origin).hostname,
    // The user handle: a passkey finds its account.
    userID: Uint8Array.from(Buffer.from(account.accountId)),
    userName: account.displayName,
    userDisplayName: account.displayName,
    challenge: Uint8Array.from(challenge),
    attestationType: "none",
    excludeCredentials: account.passkeys.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs,
    timeout: 300_000,
  });
}

/**
 * Returns whether the attestation of a new passkey contains no certificates: none was asked for, so browsers send none. A caller could
 * make the certificates, and verifying them would fetch the revocation lists at the URLs in them, also from this server's own network.
 *
 * @throws Error when the attestation cannot be decoded.
 */
function lacksCertificates(attestationObject: string): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}

/**
 * Verifies a new passkey. Resolves with undefined when it is not valid for this challenge and origin, or when its attestation contains
 * certificates.
 */
export async function verifyNewPasskey(
  origin: string,
  response: NewPasskeyResponse,
  expectedChallenge: string,
): Promise<Pick<Passkey, "id" | "publicKey" | "counter" | "transports" | "backedUp"> | undefined> {
  const verify = async () => {
    if (!lacksCertificates(response.response.attestationObject)) return undefined;
    return verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    });
  };
  const verified = await verify().catch(() => undefined);
  if (verified?.registrationInfo === undefined) return undefined;
  const { credential, credentialBackedUp } = verified.registrationInfo;
  const publicKey = Buffer.from(credential.publicKey).toString("base64url");
  if (publicKey.length > longestPublicKey) return undefined;
  return {
    id: credential.id,
    publicKey,
    counter: credential.counter,
    transports: response.response.transports,
    backedUp: credentialBackedUp,
  };
}

/** Returns the options of `navigator.credentials.get`. Without passkeys, the person chooses from those of this origin. */
export async function passkeyOptions(origin: string, passkeys: readonly Passkey[], challenge: Buffer) {
  return generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    challenge: Uint8Array.from(challenge),
    allowCredentials: passkeys.map(({ id, transports }) => ({ id, transports })),
    userVerification: "required",
    timeout: 300_000,
  });
}

/** Returns the id of the account that a passkey belongs to, as the browser claims it; empty if it cannot be the id of an account. */
export function claimedAccountId({ response }: PasskeyResponse): string {
  const accountId = Buffer.from(response.userHandle, "base64url").toString();
  return /^[\x21-\x7e]{1,128}$/.test(accountId) ? accountId : "";
}

/** Verifies a sign-in. Resolves with the passkey as used; undefined when the signature, challenge, origin or counter is not valid. */
export async function verifyPasskey(
  origin: string,
  response: PasskeyResponse,
  expectedChallenge: string,
  passkey: Passkey,
): Promise<Pick<Passkey, "counter" | "backedUp"> | undefined> {
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
    },
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { counter: newCounter, backedUp: credentialBackedUp };
}
