import { utf8 } from "./bytes.js";
import { identifierRule, isIdentifier, isVersion } from "./item-fields.js";
import { OpenError } from "./open-error.js";
import { cryptoKeysOf, open, seal, type VaultKey } from "./vault-key.js";

/** The vault whose name is encrypted, and its key. */
export interface VaultNamePlace {
  readonly vaultKey: VaultKey;
  readonly tenantId: string;
  readonly vaultId: string;
  /** The epoch of the key. */
  readonly epoch: number;
  /** The revision of the name: 1, then incremented whenever the name changes. Default: the name is not bound to one. */
  readonly revision?: number | undefined;
}

/** The longest name of a vault, in UTF-16 code units. */
const longestName = 100;

/** Control characters, lone surrogates and line separators: a name is one line. */
const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Encrypts the name of a vault: base64url of a nonce (12 bytes), and its NFC form in UTF-8 encrypted with AES-256-GCM. The associated
 * data is the JSON text `["platform.v1 vault name",2,tenantId,vaultId,epoch,revision]`. Without a revision, it is
 * `["platform.v1 vault name",1,tenantId,vaultId,epoch]`.
 *
 * @example
 * ```ts
 * import { createVaultKey, openVaultName, sealVaultName } from "@platform-rpc/client/crypto";
 *
 * const place = { vaultKey: await createVaultKey(), tenantId: "acme", vaultId: "family", epoch: 1 };
 * console.log(await openVaultName(await sealVaultName("Family", place), place));
 * // Family
 * ```
 *
 * @throws TypeError (as a rejection) when the name is empty, longer than 100 characters or not one line, or the place is invalid.
 */
export async function sealVaultName(name: string, place: VaultNamePlace): Promise<string> {
  checkPlace(place);
  const normalized = typeof name === "string" ? name.normalize("NFC") : "";
  if (normalized.trim() === "" || normalized.length > longestName || forbidden.test(normalized))
    throw new TypeError(`Invalid name: must be one line of 1 to ${longestName} characters.`);
  return seal(cryptoKeysOf(place.vaultKey).name, utf8(normalized), nameData(place));
}

/**
 * Decrypts the name of a vault. With a revision, it also opens a name that was encrypted without one, as earlier programs did.
 *
 * @example
 * ```ts
 * import { createVaultKey, OpenError, openVaultName, sealVaultName } from "@platform-rpc/client/crypto";
 *
 * const place = { vaultKey: await createVaultKey(), tenantId: "acme", vaultId: "family", epoch: 1 };
 * const sealed = await sealVaultName("Family", place);
 * console.log(await openVaultName(sealed, { ...place, vaultId: "work" }).catch((error) => error instanceof OpenError));
 * // true
 * ```
 *
 * @throws OpenError (as a rejection) when it was altered, or belongs to another tenant, vault, epoch, revision or key. TypeError when the place is
 * invalid.
 */
export async function openVaultName(sealed: string, place: VaultNamePlace): Promise<string> {
  checkPlace(place);
  const openAs = (as: VaultNamePlace) => open(cryptoKeysOf(place.vaultKey).name, sealed, nameData(as));
  const bytes = await openAs(place).catch((error: unknown) => {
    if (place.revision === undefined) throw error;
    return openAs({ ...place, revision: undefined });
  });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new OpenError();
  }
}

function nameData({ tenantId, vaultId, epoch, revision }: VaultNamePlace): Uint8Array<ArrayBuffer> {
  const format = revision === undefined ? 1 : 2;
  const bound = revision === undefined ? [] : [revision];
  return utf8(JSON.stringify(["platform.v1 vault name", format, tenantId, vaultId, epoch, ...bound]));
}

function checkPlace({ tenantId, vaultId, epoch, revision = 1 }: VaultNamePlace): void {
  if (![tenantId, vaultId].every(isIdentifier))
    throw new TypeError(`Invalid place: tenantId and vaultId must each be ${identifierRule}.`);
  if (![epoch, revision].every(isVersion))
    throw new TypeError("Invalid place: epoch and revision must each be a whole number from 1 to 4294967295.");
}
