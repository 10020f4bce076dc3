import { decodeBase64url } from "@platform-rpc/items/base64url";
import { contentProblem, type ItemContent, writeContent } from "@platform-rpc/items/item-content";
import { importVerificationKey } from "@platform-rpc/items/unlock/certificate";
import {
  type DeletedVersion,
  type DeletionProof,
  signDeletion,
  signerOf,
} from "@platform-rpc/items/vault/deletion-proof";
import { createMemory, type Finding, type Memory, type Revision } from "@platform-rpc/items/vault/memory";
import { type ClosedReason, type OpenedItem, openItem } from "@platform-rpc/items/vault/open-item";
import { sealItem } from "@platform-rpc/items/vault/seal-item";
import type { HeadKeys } from "@platform-rpc/items/vault/vault-head";
import { nameOfVault } from "@platform-rpc/items/vault/vault-key";
import type { Item } from "@platform-rpc/types";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { isSystemError, MemoryError, ProgramError } from "./errors.js";
import { seenItemsIn } from "./seen-items.js";
import { readUnlockedFile, type UnlockedFile, type UnlockingSession } from "./unlocked-file.js";

/** What is written of an item. */
export interface WrittenContent {
  readonly vaultId: string;
  /** The id of a new item is created here, because its content is bound to it. */
  readonly itemId: string;
  /** The version that it replaces: 0 for a new item. */
  readonly baseVersion: number;
  readonly kind: string;
  readonly content: ItemContent;
  /** The content that it replaces. Undefined for a new item. */
  readonly replaces?: Revision | undefined;
}

/** The fields of a PutItem request. */
export type SealedRequest = Awaited<ReturnType<typeof sealItem>> & Pick<WrittenContent, "vaultId">;

export interface OpenedContent extends Pick<OpenedItem, "content" | "isVerified" | "revision"> {
  /** How it contradicts what this computer has seen. */
  readonly finding?: Finding | undefined;
}

/** The vaults whose keys this program has, until they expire. */
export interface UnlockedVaults {
  readonly expiresAt: Date;
  readonly vaultIds: readonly string[];
  has(vaultId: string): boolean;
  /** Returns what a vault is called, as the vault app does. */
  nameOf(vault: Pick<MemberVault, "vaultId" | "encryptedName" | "revision" | "key">): Promise<string>;
  /**
   * Decrypts an item, and remembers that it was seen. Pass the vault that was requested: the server can misreport that of the item.
   *
   * @throws ProgramError if its vault is not unlocked, or it was altered, or its content was deleted for ever. MemoryError if it cannot be
   * remembered
   */
  open(item: Item, vaultId?: string): Promise<OpenedContent>;
  /** Remembers an item that this program has written or deleted, also over a content that contradicts what was seen. @throws MemoryError */
  remember(item: Item, vaultId: string): Promise<void>;
  /** Encrypts an item, and signs it. @throws ProgramError if its vault is not unlocked, or the content cannot be stored */
  seal(written: WrittenContent): Promise<SealedRequest>;
  signDeletion(version: Omit<DeletedVersion, "tenantId">): Promise<DeletionProof>;
  /** Returns who has signed the order to delete an item, in words: "you", or a program. Undefined: nobody whom the person trusts. */
  deletedBy(version: Omit<DeletedVersion, "tenantId">, proof: DeletionProof | undefined): Promise<string | undefined>;
  headKeysOf(vaultId: string): HeadKeys;
}

/** Returns the vaults that `platform unlock` has unlocked for the person of a session; undefined if there are none, or the time is over. */
export async function readUnlocked(
  folder: string,
  session: UnlockingSession | undefined,
): Promise<UnlockedVaults | undefined> {
  const file = await readUnlockedFile(folder, session);
  return file && unlockedVaultsOf(file, folder);
}

/** Returns the vaults in a file. @param folder contains what this computer has seen of them */
export async function unlockedVaultsOf(file: UnlockedFile, folder: string): Promise<UnlockedVaults> {
  const { issuer, tenantId, accountId, unlockId, writerId } = file;
  const { subtle } = crypto;
  const bytes = decodeBase64url(file.wrappingKey);
  const wrappingKey = await subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const privateKey = await subtle.importKey("jwk", file.signingKey, "Ed25519", false, ["sign"]);
  const writers = await Promise.all(
    file.writers.map(async ({ writerId, publicKey }) => ({
      writerId,
      publicKey: await importVerificationKey(publicKey),
    })),
  );
  const writer = { writerId, privateKey };
  const memories = new Map<string, Memory>();
  const keys = new Map(file.vaults.map(({ vaultId, ...key }) => [vaultId, key]));

  function reader(vaultId: string) {
    const key = keys.get(vaultId);
    if (key === undefined) {
      throw new ProgramError(`The vault ${vaultId} is not unlocked here: it has no key. Open it in your browser.`);
    }
    return { tenantId, vaultId, key, boundTo: unlockId, wrappingKey };
  }

  const storeOf = (vaultId: string) => seenItemsIn(folder, [issuer, tenantId, accountId, vaultId]);

  async function judge(item: Item, vaultId: string, { isOwn }: { readonly isOwn: boolean }) {
    const opened = await openItem(item, { ...reader(vaultId), writers });
    const revision = opened.closed === undefined ? opened.revision : undefined;
    const memory = memories.get(vaultId) ?? createMemory(storeOf(vaultId), async () => {});
    memories.set(vaultId, memory);
    try {
      const [finding] = await memory.judge([{ ...item, revision, isOwn }]);
      await memory.stored();
      return { opened, finding };
    } catch (error) {
      if (!(error instanceof ProgramError || isSystemError(error))) throw error;
      throw new MemoryError(error.message, "failed", { cause: error });
    }
  }

  return {
    expiresAt: new Date(file.expiresAt),
    vaultIds: [...keys.keys()],
    has: (vaultId) => keys.has(vaultId),

    nameOf({ vaultId, encryptedName, revision, key }) {
      const listed = { vaultId, key, boundTo: unlockId, wrappingKey: undefined };
      const opener = key !== undefined && keys.has(vaultId) ? reader(vaultId) : listed;
      return nameOfVault(opener, { tenantId, encryptedName, revision, personId: accountId });
    },

    async open(item, vaultId = item.vaultId) {
      const { opened, finding } = await judge(item, vaultId, { isOwn: false });
      if (opened.closed !== undefined) throw new ProgramError(wordsOf(opened.closed, item.itemId));
      return { content: opened.content, isVerified: opened.isVerified, revision: opened.revision, finding };
    },

    async remember(item, vaultId) {
      await judge(item, vaultId, { isOwn: true });
    },

    async seal({ vaultId, content, ...written }) {
      const problem = contentProblem(content);
      if (problem !== undefined) throw new ProgramError(problem, "usage");
      const text = { title: content.title, text: writeContent(content) };
      const sealer = { ...reader(vaultId), writer };
      return { vaultId, ...(await sealItem(sealer, { ...written, ...text })) };
    },

    signDeletion: (version) => signDeletion("delete", { tenantId, ...version }, writer),

    async deletedBy(version, proof) {
      const signer = await signerOf("delete", { tenantId, ...version }, proof, writers);
      if (signer === undefined || signer === accountId) return signer && "you";
      return signer === writerId ? "you, with this program" : "another program that signs for you";
    },

    headKeysOf: (vaultId) => ({ tenantId, writers, writer, memory: storeOf(vaultId) }),
  };
}

function wordsOf(reason: ClosedReason, itemId: string): string {
  switch (reason) {
    case "shredded":
      return `The content of ${itemId} was deleted for ever, as the server says.`;
    case "not shared":
      return `The item ${itemId} is older than the key of its vault. Open it in your browser, and save it there.`;
    default:
      return `The content of ${itemId} cannot be decrypted: it was altered, or has a form that this program does not know.`;
  }
}
