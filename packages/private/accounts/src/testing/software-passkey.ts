import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

const ofUser = 0x01;
const verifiedUser = 0x04;
const withCredential = 0x40;

/** What a test may change about a response. */
export interface PasskeyChanges {
  readonly origin?: string;
  readonly challenge?: string;
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly rpId?: string;
  readonly accountId?: string;
  /** Whether the attestation is signed with this certificate: its key and itself, in PEM. */
  readonly certificate?: string;
}

/** An authenticator in software, for tests: ES256, without attestation. */
export function createSoftwarePasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rawId = randomBytes(16);
  const id = rawId.toString("base64url");
  let counter = 0;
  let accountId = "";

  const authenticatorData = (changes: PasskeyChanges, flags: number, more = Buffer.alloc(0)): Buffer => {
    counter += 1;
    const used = Buffer.alloc(4);
    used.writeUInt32BE(changes.counter ?? counter);
    const userFlags = changes.userVerified === false ? ofUser : ofUser | verifiedUser;
    const rpIdHash = createHash("sha256").update(changes.rpId ?? new URL(origin).hostname);
    return Buffer.concat([rpIdHash.digest(), Buffer.from([userFlags | flags]), used, more]);
  };
  const clientData = (type: string, challenge: string, changes: PasskeyChanges): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: changes.challenge ?? challenge,
        origin: changes.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const credential = { id, rawId: id, type: "public-key", clientExtensionResults: {} };

  return {
    id,
    /** Answers the options of a new passkey. */
    create(
      options: { readonly challenge: string; readonly user: { readonly id: string } },
      changes: PasskeyChanges = {},
    ) {
      accountId = options.user.id;
      const length = Buffer.from([0, rawId.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(publicKey)]);
      const authData = authenticatorData(changes, withCredential, attested);
      const clientDataJSON = clientData("webauthn.create", options.challenge, changes);
      const signed = Buffer.concat([authData, createHash("sha256").update(clientDataJSON).digest()]);
      const attestation = new Map<string, string | Uint8Array | Statement>([
        ["fmt", changes.certificate === undefined ? "none" : "packed"],
        ["attStmt", changes.certificate === undefined ? new Map() : statement(changes.certificate, signed)],
        ["authData", Uint8Array.from(authData)],
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: clientDataJSON.toString("base64url"),
          attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    /** Answers the options of a sign-in. */
    use({ challenge }: { readonly challenge: string }, changes: PasskeyChanges = {}) {
      const authData = authenticatorData(changes, 0);
      const clientDataJSON = clientData("webauthn.get", challenge, changes);
      const signed = Buffer.concat([authData, createHash("sha256").update(clientDataJSON).digest()]);
      const userHandle =
        changes.accountId === undefined ? accountId : Buffer.from(changes.accountId).toString("base64url");
      return {
        ...credential,
        response: {
          clientDataJSON: clientDataJSON.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
          userHandle,
        },
      };
    },
  };
}

type Statement = Map<string, number | Uint8Array | Uint8Array[]>;

/** Returns the attestation statement of the format `packed` with a certificate (WebAuthn section 8.2). */
function statement(certificate: string, signed: Buffer): Statement {
  return new Map<string, number | Uint8Array | Uint8Array[]>([
    ["alg", -7],
    ["sig", Uint8Array.from(sign("sha256", signed, certificate))],
    ["x5c", [Uint8Array.from(new X509Certificate(certificate).raw)]],
  ]);
}

/** Encodes a P-256 key as COSE (RFC 9053 section 7.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64url"));
  const members = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ]);
  return Buffer.from(isoCBOR.encode(members));
}
