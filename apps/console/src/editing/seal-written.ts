import type { UserKeys } from "@platform-rpc/accounts/keys/user-keys";
import { openKeyOf } from "@platform-rpc/accounts/keys/vault-keys";
import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import type { OwnVault } from "../vaults/own-vault.js";

/** What a person has written, and the version that it replaces: 0 for a new item. */
export interface WrittenItem {
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly title: string;
  /** The plaintext. */
  readonly text: string;
}

/** Who seals items, and for which vault. Everything in it can be sent to a worker. */
export interface Sealer extends Pick<OwnVault, "vaultId" | "key"> {
  readonly tenantId: string;
  readonly principalId: string;
  readonly keys: UserKeys | undefined;
}

/** Encrypts an item for the key of its vault, and signs it. Resolves with what the request contains. */
export async function sealWritten(
  { tenantId, principalId, keys, vaultId, key }: Sealer,
  { itemId, baseVersion, kind, title, text }: WrittenItem,
) {
  const memberKeys = keys?.member;
  if (key === undefined || memberKeys === undefined) throw new Error("Unlock your keys first.");
  const vaultKey = await openKeyOf({ vaultId, principalId, member: memberKeys, key });
  const sealed = await sealItem({
    place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
    kind,
    titleHash: await titleHash(vaultKey, title),
    plaintext: new TextEncoder().encode(text),
    recipients: [{ recipientId: key.keyId, vaultKey }],
    writer: { writerId: principalId, privateKey: memberKeys.signingKey },
  });
  return { itemId, baseVersion, ...sealed, wrappedKeys: [...sealed.wrappedKeys] };
}
