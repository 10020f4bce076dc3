import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";
import { base64url } from "../people/base64url.js";

const id = z.string().min(1).max(128);

/** The signing key of a program, signed by the person: see packages/private/items/src/unlock. */
const certificate = z.strictObject({ signingKey: base64url(43), signature: base64url(86) });

/** What a person hands to a program: see packages/private/items/src/unlock. Only the program can open it. */
export const handOver = z.strictObject({
  pageKey: base64url(87),
  vaults: z
    .array(
      z.strictObject({
        vaultId: id,
        keyId: id,
        epoch: z.int().min(1).max(0xffffffff),
        wrappedKey: base64url(1, 128),
      }),
    )
    .max(200),
  certificate,
  removed: z.array(base64url(43)).max(500).default([]),
  signature: base64url(86),
});

/** The end of a certificate, signed by the person. */
export const removal = certificate;

const unlock = z.object({
  unlockId: z.string(),
  encryptionKey: z.string(),
  signingKey: z.string(),
  /** What the device of the program calls itself. */
  device: z.string().optional(),
  /** The network address that asked. */
  address: z.string().optional(),
  startedAt: z.number(),
  expiresAt: z.number(),
  handOver: handOver.optional(),
});

const storedUnlocks = z.object({
  tenantId: z.string(),
  accountId: z.string(),
  unlocks: z.array(unlock),
  expiresAt: z.number(),
});

export type ProgramUnlock = z.infer<typeof unlock>;
export type StoredUnlocks = z.infer<typeof storedUnlocks>;

/** The newest requests of the programs of each account. One record bounds how many there are. */
export const programUnlocks = defineCollection<StoredUnlocks>("program-unlocks", {
  schema: storedUnlocks.parse,
  keyOf: ({ tenantId, accountId: key }) => ({ tenantId, key }),
  ownerOf: ({ accountId: principalId }) => ({ principalId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

const storedCertificates = z.object({
  tenantId: z.string(),
  accountId: z.string(),
  certificates: z.array(
    certificate.extend({
      certifiedAt: z.number(),
      /** When the program last got keys of vaults. Default: when it was certified. */
      unlockedAt: z.number().optional(),
      /** What its device called itself then. */
      device: z.string().optional(),
    }),
  ),
  /** The certificates that the person has removed: they are never made again. An earlier version stored no signature. */
  removed: z
    .array(
      z.union([
        z.object({ signingKey: z.string(), signature: z.string() }),
        z.string().transform((signingKey) => ({ signingKey, signature: "" })),
      ]),
    )
    .default([]),
});

export const programCertificates = defineCollection<z.infer<typeof storedCertificates>>("program-certificates", {
  schema: storedCertificates.parse,
  keyOf: ({ tenantId, accountId: key }) => ({ tenantId, key }),
  ownerOf: ({ accountId: principalId }) => ({ principalId }),
});
