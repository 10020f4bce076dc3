import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";
import { base64url } from "./base64url.js";
import { longestName, nameProblem } from "./personal-name.js";

/** The largest number of passkeys, and the largest public key of one, in base64url: an account must fit into one record. */
export const mostPasskeys = 10;
export const longestPublicKey = 720;

export const personalName = z
  .string()
  .trim()
  .max(longestName)
  .refine((name) => nameProblem(name) === undefined);

/** What a person typed as a name, to be checked with `nameProblem`, which says what is wrong with it. */
export const typedName = z.string().trim().max(1000);

/** Wrapped keys, which the server cannot open: see `keys/wrap-user-keys.ts`. */
export const wrappedUserKeys = z.object({
  version: z.literal(1),
  salt: base64url(1, 22),
  nonce: base64url(1, 16),
  ciphertext: base64url(1, 3500),
});

/** Finds the account of a recovery code, and reveals nothing of the code. */
export const locator = base64url(22);

/** What the server keeps of a recovery code: nothing from which the code could be computed. */
export const recovery = z.object({
  locator,
  signInPublicKey: base64url(43),
  wrappedKeys: wrappedUserKeys,
});

const passkey = z.object({
  id: z.string(),
  /** COSE, in base64url. */
  publicKey: z.string(),
  counter: z.number(),
  transports: z.array(z.string()),
  /** Whether the passkey is synchronized, so that it survives the loss of a device. */
  backedUp: z.boolean(),
  name: personalName,
  createdAt: z.number(),
  lastUsedAt: z.number(),
  /** Undefined for a passkey without the PRF extension. */
  wrappedKeys: wrappedUserKeys.optional(),
});

/** The id of an account is that of its principal, and of the personal vault. */
const account = z.object({
  tenantId: z.string(),
  accountId: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  displayName: personalName,
  passkeys: z.array(passkey),
  /** Undefined until the person has confirmed that they stored the code. Then a passkey unlocks the keys. */
  recovery: recovery.optional(),
  /** Whether a restore undid a change of the code or of the passkeys, so that the person must confirm the code at their next sign-in. */
  mustConfirmCode: z.literal(true).optional(),
});

export type Account = z.infer<typeof account>;
export type Passkey = z.infer<typeof passkey>;

/**
 * Returns whether something unlocks the keys of an account: its recovery code, or a passkey with the PRF extension. Every account needs
 * one, because nobody else has the keys.
 */
export function canUnlock({
  passkeys,
  recovery,
}: {
  readonly passkeys: readonly Pick<Passkey, "wrappedKeys">[];
  readonly recovery?: Account["recovery"];
}): boolean {
  return recovery !== undefined || passkeys.some(({ wrappedKeys }) => wrappedKeys !== undefined);
}

export const accounts = defineCollection<Account>("account", {
  // Another version may have written more: it is kept when the account is replaced.
  schema: account.loose().parse,
  keyOf: ({ tenantId, accountId: key }) => ({ tenantId, key }),
  ownerOf: ({ accountId: principalId }) => ({ principalId }),
});

const storedLocator = z.object({ tenantId: z.string(), locator: z.string(), accountId: z.string() });

/** Which account has a recovery code. The account decides whether the code is still valid. */
export const locators = defineCollection<z.infer<typeof storedLocator>>("recovery-locator", {
  schema: storedLocator.parse,
  keyOf: ({ tenantId, locator: key }) => ({ tenantId, key }),
  ownerOf: ({ accountId: principalId }) => ({ principalId }),
});
