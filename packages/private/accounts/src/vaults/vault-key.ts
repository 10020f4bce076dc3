import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";

/** The key of a vault and its name, which the server cannot open. */
const storedVaultKey = z.object({
  tenantId: z.string(),
  vaultId: z.string(),
  keyId: z.string(),
  epoch: z.number(),
  /** The key, wrapped for each member who can read the vault: at first, only for its owner. */
  wrappedKeys: z.array(z.object({ principalId: z.string(), wrappedKey: z.string() })),
  /** Encrypted with the key. Empty for a personal vault. */
  encryptedName: z.string(),
  /** How often the name was written. */
  nameRevision: z.number(),
  /** When its owner deleted it, in milliseconds since the epoch. */
  deletedAt: z.number().optional(),
});

export type StoredVaultKey = z.infer<typeof storedVaultKey>;

/** The keys of vaults, by their ids. A vault that an administrator has created has none. */
export const vaultKeys = defineCollection<StoredVaultKey>("vault-key", {
  schema: storedVaultKey.parse,
  keyOf: ({ tenantId, vaultId: key }) => ({ tenantId, key }),
});

const storedCreation = z.object({ tenantId: z.string(), principalId: z.string() });

/**
 * Is written whenever a person creates a vault. Its revision says whether they have created another one since their vaults were
 * counted.
 */
export const vaultCreations = defineCollection<z.infer<typeof storedCreation>>("vault-creation", {
  schema: storedCreation.parse,
  keyOf: ({ tenantId, principalId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId }) => ({ principalId }),
});
