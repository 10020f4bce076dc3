import {
  createRecipientKeys,
  createWriterKeys,
  openItem,
  sealItem,
  unwrapItemKey,
  type WrapAlgorithm,
} from "@platform-rpc/client/crypto";

const place = { tenantId: "tenant-1", vaultId: "vault-1", itemId: "item-1", version: 1 };

/** Seals and signs a text for a recipient of each kind, and returns the text that each one opens. */
export async function sealAndOpen(text: string): Promise<readonly string[]> {
  const kinds: readonly WrapAlgorithm[] = ["ECDH-ES+A256KW", "RSA-OAEP-256"];
  const readers = await Promise.all(
    kinds.map(async (wrapAlg) => ({ recipientId: wrapAlg.slice(0, 3), ...(await createRecipientKeys({ wrapAlg })) })),
  );
  const writer = { writerId: "ada", ...(await createWriterKeys()) };
  const about = { place, kind: "login", titleHash: "" };
  const plaintext = new TextEncoder().encode(text);
  const sealed = await sealItem({ ...about, plaintext, recipients: readers, writer });
  // The JSON that the platform stores and returns.
  const { encryptedPayload, wrappedKeys }: typeof sealed = JSON.parse(JSON.stringify(sealed));
  return Promise.all(
    readers.map(async (reader) => {
      const wrapped = wrappedKeys.find(({ recipientId }) => recipientId === reader.recipientId);
      if (wrapped === undefined) return "no key";
      const itemKey = await unwrapItemKey(wrapped, reader);
      const opened = await openItem({ ...about, encryptedPayload, itemKey, writers: [writer] });
      return new TextDecoder().decode(opened.plaintext);
    }),
  );
}
