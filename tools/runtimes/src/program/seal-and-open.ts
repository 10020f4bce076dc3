import { createRecipientKeys, openItem, sealItem, unwrapItemKey, type WrapAlgorithm } from "@platform/client/crypto";

const place = { tenantId: "tenant-1", vaultId: "vault-1", itemId: "item-1", version: 1 };

/** Seals a text for a recipient of each kind, and has each open it. */
export async function sealAndOpen(text: string): Promise<readonly string[]> {
  const kinds: readonly WrapAlgorithm[] = ["ECDH-ES+A256KW", "RSA-OAEP-256"];
  const readers = await Promise.all(
    kinds.map(async (wrapAlg) => ({ recipientId: wrapAlg.slice(0, 3), ...(await createRecipientKeys({ wrapAlg })) })),
  );
  const sealed = await sealItem({ place, plaintext: new TextEncoder().encode(text), recipients: readers });
  // What the platform keeps of it, and gives back.
  const { encryptedPayload, wrappedKeys }: typeof sealed = JSON.parse(JSON.stringify(sealed));
  return Promise.all(
    readers.map(async (reader) => {
      const wrapped = wrappedKeys.find(({ recipientId }) => recipientId === reader.recipientId);
      if (wrapped === undefined) return "no key";
      const itemKey = await unwrapItemKey(wrapped, reader);
      const { plaintext } = await openItem({ place, encryptedPayload, itemKey });
      return new TextDecoder().decode(plaintext);
    }),
  );
}
