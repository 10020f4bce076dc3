import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";
import { base64url } from "./base64url.js";

/** Member keys that only the person can open: see `keys/member-keys.ts`. */
export const sealedMemberKeys = z.strictObject({
  version: z.literal(1),
  nonce: base64url(16),
  ciphertext: base64url(1, 512),
  signingPublicKey: base64url(43),
});

const stored = z.object({
  tenantId: z.string(),
  accountId: z.string(),
  sealed: sealedMemberKeys,
});

/** The member keys of each account. They never change: what is sealed with them must stay readable. */
export const memberKeys = defineCollection<z.infer<typeof stored>>("member-keys", {
  schema: stored.parse,
  keyOf: ({ tenantId, accountId: key }) => ({ tenantId, key }),
  ownerOf: ({ accountId: principalId }) => ({ principalId }),
});
