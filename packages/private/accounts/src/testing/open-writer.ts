import {
  createWriterKeys,
  openVaultKey,
  type Recipient,
  type SealedItem,
  type Writer as Signer,
  sealItem,
  titleHash,
  type VaultKeyHolder,
} from "@platform-rpc/client/crypto";
import type { Page } from "playwright-core";
import * as z from "zod";
import { openMemberKeys } from "../keys/member-keys.js";
import { importUserKeys, type UserKeysJson } from "../keys/user-keys.js";

const known = z.object({
  tenantId: z.string(),
  principalId: z.string(),
  memberKeys: z.object({
    version: z.literal(1),
    nonce: z.string(),
    ciphertext: z.string(),
    signingPublicKey: z.string(),
  }),
  vaults: z.array(
    z.object({
      vaultId: z.string(),
      key: z.object({ keyId: z.string(), epoch: z.number(), wrappedKey: z.string() }).optional(),
    }),
  ),
});

/** An item as it is put. */
export type WrittenItem = SealedItem & {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
};

/** Writes items as other software of the signed-in person does, or somebody who forges them. */
export interface Writer {
  /** Seals an item and puts it. Returns what it put. */
  write(
    item: {
      readonly vaultId: string;
      readonly itemId: string;
      readonly title: string;
      /** Default: none. */
      readonly fields?: Readonly<Record<string, string>>;
    },
    how?: {
      readonly baseVersion?: number;
      /** Default: the person. */
      readonly signer?: "person" | "stranger" | "nobody";
      /** For whom the item's key is wrapped. Default: for the vault. */
      readonly recipient?: "vault" | "person";
    },
  ): Promise<WrittenItem>;
  readonly put: (item: WrittenItem) => Promise<void>;
}

interface WriterOptions {
  /** The serialized keys of the person. */
  readonly userKeys: Uint8Array<ArrayBuffer>;
  /** Puts an item in the vault, for example as an administrator. */
  put(item: WrittenItem): Promise<void>;
}

/** Opens the keys of the person who is signed in on a page of the accounts origin. */
export async function openWriter(page: Page, { userKeys, put }: WriterOptions): Promise<Writer> {
  const read = async () =>
    known.parse(
      await page.evaluate(async () => {
        const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
          const sent = { "Content-Type": "application/json", ...headers };
          return (await fetch(path, { method: "POST", headers: sent, body: JSON.stringify(body) })).json();
        };
        const { tenantId, principalId } = await (await fetch("/account/api/console")).json();
        const { memberKeys } = await post("/account/api/member-keys", {});
        const { accessToken } = await post("/account/api/token", {});
        const authorized = { Authorization: `Bearer ${accessToken}`, "Connect-Protocol-Version": "1" };
        const { vaults } = await post("/platform.accounts.v1.MemberVaultService/ListVaults", {}, authorized);
        return { tenantId, principalId, memberKeys, vaults };
      }),
    );
  const { tenantId, principalId, memberKeys } = await read();
  const { titleKey } = await importUserKeys(userKeys);
  const publicKey = await publicKeyOf(userKeys);
  const member = await openMemberKeys(memberKeys, { accountId: principalId, userKeys });
  const stranger = await createWriterKeys();
  const signers: Readonly<Record<string, Signer | undefined>> = {
    person: { writerId: principalId, privateKey: member.signingKey },
    stranger: { writerId: principalId, privateKey: stranger.privateKey },
  };

  const holders = new Map<string, Promise<VaultKeyHolder>>();
  async function holderOf(vaultId: string): Promise<VaultKeyHolder> {
    const key = (await read()).vaults.find((vault) => vault.vaultId === vaultId)?.key;
    if (key === undefined) throw new Error(`the vault ${vaultId} has no key`);
    const { keyId: recipientId, epoch, wrappedKey } = key;
    const place = { wrappingKey: member.wrappingKey, accountId: principalId, vaultId, keyId: recipientId, epoch };
    return { recipientId, vaultKey: await openVaultKey(wrappedKey, place) };
  }

  function recipientOf(vaultId: string, recipient: "vault" | "person"): Recipient | Promise<VaultKeyHolder> {
    if (recipient === "person") return { recipientId: principalId, publicKey };
    const holder = holders.get(vaultId) ?? holderOf(vaultId);
    holders.set(vaultId, holder);
    return holder;
  }

  return {
    put,
    async write(
      { vaultId, itemId, title, fields = {} },
      { baseVersion = 0, signer = "person", recipient = "vault" } = {},
    ) {
      const sealed = await sealItem({
        place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
        kind: "login",
        titleHash: await titleHash(titleKey, title),
        plaintext: new TextEncoder().encode(JSON.stringify({ title, fields })),
        recipients: [await recipientOf(vaultId, recipient)],
        writer: signers[signer],
      });
      const item = { tenantId, vaultId, itemId, baseVersion, ...sealed };
      await put(item);
      return item;
    },
  };
}

async function publicKeyOf(userKeys: Uint8Array): Promise<CryptoKey> {
  const { encryptionKey }: UserKeysJson = JSON.parse(new TextDecoder().decode(userKeys));
  const { n = "", e = "" } = encryptionKey;
  return crypto.subtle.importKey(
    "jwk",
    { kty: "RSA", alg: "RSA-OAEP-256", n, e },
    { name: "RSA-OAEP", hash: "SHA-256" },
    false,
    ["wrapKey"],
  );
}
