import {
  openItem,
  openVaultKey,
  openVaultName,
  sealItem,
  type TrustedWriter,
  titleHash,
  unwrapItemKey,
  type VaultKey,
} from "@platform-rpc/client/crypto";
import { contentProblem, type ItemContent, readContent, writeContent } from "@platform-rpc/items/item-content";
import { type MemberVault, ProgramError } from "@platform-rpc/signed-in";
import type { EncryptedPayload, Item, WrappedKey } from "@platform-rpc/types";
import type { Terminal } from "../terminal/terminal.js";
import { readUnlockedFile, type UnlockedFile } from "./unlocked-file.js";

/** What is written of an item. */
export interface WrittenItem {
  readonly vaultId: string;
  /** The id of a new item is created here, because its content is bound to it. */
  readonly itemId: string;
  /** The version that it replaces: 0 for a new item. */
  readonly baseVersion: number;
  readonly kind: string;
  readonly content: ItemContent;
}

/** The fields of a PutItem request. */
export interface SealedRequest {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload: Omit<EncryptedPayload, "$typeName">;
  readonly wrappedKeys: Omit<WrappedKey, "$typeName">[];
}

export interface OpenedContent {
  readonly content: ItemContent;
  /** Whether the person, or a program that the person has certified, has signed the item. */
  readonly isVerified: boolean;
}

/** The vaults whose keys this program has, until they expire. */
export interface UnlockedVaults {
  readonly expiresAt: Date;
  /** Returns whether the key of a vault is here. */
  has(vaultId: string): boolean;
  /** Returns what a vault is called, as the vault app does. */
  nameOf(vault: Pick<MemberVault, "vaultId" | "encryptedName" | "key">): Promise<string>;
  /**
   * Decrypts an item of a vault. Pass the vault that was requested: the server can misreport that of the item.
   *
   * @throws ProgramError if its vault is not unlocked, or it was altered, or its content was deleted for ever
   */
  open(item: Item, vaultId?: string): Promise<OpenedContent>;
  /**
   * Encrypts an item for the key of its vault, and signs it.
   *
   * @throws ProgramError if its vault is not unlocked, or the content cannot be stored
   */
  seal(written: WrittenItem): Promise<SealedRequest>;
}

/** Returns the vaults that `platform unlock` has unlocked; undefined if there are none, or the time is over. */
export async function readUnlocked(terminal: Terminal): Promise<UnlockedVaults | undefined> {
  const file = await readUnlockedFile(terminal);
  return file && unlockedVaultsOf(file);
}

/** Returns the vaults in a file. */
export async function unlockedVaultsOf(file: UnlockedFile): Promise<UnlockedVaults> {
  const { tenantId, accountId, writerId } = file;
  const { subtle } = crypto;
  const bytes = Buffer.from(file.wrappingKey, "base64url");
  const wrappingKey = await subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const signingKey = await subtle.importKey("jwk", file.signingKey, "Ed25519", false, ["sign"]);
  const writers: TrustedWriter[] = await Promise.all(
    file.writers.map(async ({ writerId, publicKey }) => {
      const jwk = { kty: "OKP", crv: "Ed25519", x: publicKey };
      return { writerId, publicKey: await subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"]) };
    }),
  );
  const vaults = new Map(file.vaults.map((vault) => [vault.vaultId, vault]));
  const opened = new Map<string, Promise<VaultKey>>();

  async function unlocked(vaultId: string) {
    const vault = vaults.get(vaultId);
    if (vault === undefined) {
      throw new ProgramError(`The vault ${vaultId} is not unlocked here: it has no key. Open it in your browser.`);
    }
    const { keyId, epoch, wrappedKey } = vault;
    const place = { wrappingKey, accountId: file.unlockId, vaultId, keyId, epoch };
    const opening = opened.get(vaultId) ?? openVaultKey(wrappedKey, place);
    opened.set(vaultId, opening);
    return { keyId, epoch, vaultKey: await opening };
  }

  return {
    expiresAt: new Date(file.expiresAt),
    has: (vaultId) => vaults.has(vaultId),

    async nameOf({ vaultId, encryptedName, key }) {
      if (vaultId === accountId) return "Personal";
      if (key === undefined) return vaultId;
      if (!vaults.has(vaultId)) return key.wrappedKey === "" ? "Shared vault" : "Vault without a readable name";
      const { vaultKey, epoch } = await unlocked(vaultId);
      const name = openVaultName(encryptedName, { vaultKey, tenantId, vaultId, epoch });
      return await name.catch(() => "Vault without a readable name");
    },

    async open(item, vaultId = item.vaultId) {
      const { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys } = item;
      if (encryptedPayload === undefined || encryptedPayload.ciphertext === "") {
        throw new ProgramError(`The content of ${itemId} was deleted for ever when the retention of the vault ended.`);
      }
      const { keyId, vaultKey } = await unlocked(vaultId);
      const wrapped = wrappedKeys.find(({ recipientId }) => recipientId === keyId);
      if (wrapped === undefined) {
        throw new ProgramError(
          `The item ${itemId} is older than the key of its vault. Open it in your browser, and save it there.`,
        );
      }
      try {
        const itemKey = await unwrapItemKey(wrapped, { recipientId: keyId, vaultKey });
        const sealed = { place: { tenantId, vaultId, itemId, version }, kind, titleHash, encryptedPayload, itemKey };
        // An item that nobody of these has signed is opened, and marked.
        const { plaintext, writerId } = await openItem({ ...sealed, writers }).catch(() => openItem(sealed));
        const content = readContent(new TextDecoder("utf-8", { fatal: true }).decode(plaintext));
        if (content === undefined) throw new TypeError();
        return { content, isVerified: writerId !== undefined };
      } catch {
        throw new ProgramError(
          `The content of ${itemId} cannot be decrypted: it was altered, or has a form that this program does not know.`,
        );
      }
    },

    async seal({ vaultId, itemId, baseVersion, kind, content }) {
      const problem = contentProblem(content);
      if (problem !== undefined) throw new ProgramError(problem, "usage");
      const { keyId, vaultKey } = await unlocked(vaultId);
      const sealed = await sealItem({
        place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
        kind,
        titleHash: await titleHash(vaultKey, content.title),
        plaintext: new TextEncoder().encode(writeContent(content)),
        recipients: [{ recipientId: keyId, vaultKey }],
        writer: { writerId, privateKey: signingKey },
      });
      return { vaultId, itemId, baseVersion, ...sealed, wrappedKeys: [...sealed.wrappedKeys] };
    },
  };
}
