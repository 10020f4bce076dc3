import { hash } from "node:crypto";
import { createReplayCache, type ProofUse, type UsedProof } from "@platform-rpc/broker";
import { defineCollection } from "@platform-rpc/server/host";
import type { Context } from "hono";
import * as z from "zod";
import { oauthCall } from "../http/call-of.js";
import type { AccountsEnvironment } from "../http/environment.js";
import type { OAuthParts } from "./oauth-parts.js";

const storedProof = z.object({ tenantId: z.string(), proofHash: z.string(), expiresAt: z.number() });

/** How long a proof is kept after it has expired, in milliseconds: the clocks of processes may differ by less. */
const marginMs = 60_000;

const usedProofs = defineCollection<z.infer<typeof storedProof>>("used-proof", {
  schema: storedProof.parse,
  keyOf: ({ tenantId, proofHash: key }) => ({ tenantId, key }),
  expiresAt: ({ expiresAt }) => expiresAt + marginMs,
  immutable: true,
});

/**
 * Creates a function that records a proof or an assertion as used. All processes with the same storage together answer "first" once
 * (RFC 9449 section 11.1). A process looks into its own memory first, which also limits how many proofs one key may use.
 */
export function createUsedProofs({ own, tenantId, clock }: Pick<OAuthParts, "own" | "tenantId" | "clock">) {
  const ofThisProcess = createReplayCache();
  return async (context: Context<AccountsEnvironment>, proof: UsedProof): Promise<ProofUse> => {
    const use = await ofThisProcess.record(proof);
    if (use !== "first") return use;
    const proofHash = hash("sha256", JSON.stringify([proof.thumbprint, proof.proofId]), "base64url");
    const used = usedProofs.create({ tenantId, proofHash, expiresAt: proof.expiresAt }, clock.now());
    const call = oauthCall(context, { tenantId, oauthClientId: "" });
    return (await own.putRecord(used, call)).ok ? "first" : "seen";
  };
}
