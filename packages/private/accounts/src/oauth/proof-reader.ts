import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { isBrokerTokenError, type VerifiedProof, verifyProof } from "@platform-rpc/broker";
import type { Clock } from "@platform-rpc/server";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { createUsedProofs } from "./used-proofs.js";

/**
 * How far the `iat` of a proof may be from now, in milliseconds, either way. The nonce says when the proof was made, so the clock of the
 * client may be wrong (RFC 9449 section 11.1).
 */
const windowMs = 24 * 60 * 60_000;

/**
 * Returns the RFC 7638 thumbprint of the key that a request proves to have (RFC 9449 section 5); empty without a DPoP header.
 *
 * @throws OAuthError invalid_dpop_proof, or use_dpop_nonce with the nonce in the DPoP-Nonce header.
 */
export type ReadProof = (context: Context<AccountsEnvironment>) => Promise<string>;

/** Creates a reader of DPoP proofs. Each proof needs a nonce of this server, and is accepted once. */
export function createProofReader(parts: OAuthParts): ReadProof {
  const { issuer, clock, platform } = parts;
  const nonces = createDpopNonces({ hmacKey: platform.keyRing.hmacKey, clock });
  const recordUse = createUsedProofs(parts);

  return async (context) => {
    const field = context.req.header("DPoP");
    if (field === undefined) return "";
    const nonce = nonces.current();
    context.header("DPoP-Nonce", nonce);
    const now = clock.now();
    const url = issuer + new URL(context.req.url).pathname;
    const proof = await verified({ proofs: [field], method: context.req.method, url, now, windowMs });
    const expiresAt = nonces.expiryOf(proof.nonce);
    if (expiresAt === undefined) {
      const description = "The DPoP proof needs the nonce of the DPoP-Nonce header. Send a new proof with it.";
      throw new OAuthError("use_dpop_nonce", description, { headers: { "DPoP-Nonce": nonce } });
    }
    const { proofId, thumbprint } = proof;
    // Last, so that only holders of a key with a current nonce can fill the storage.
    const use = await recordUse(context, { proofId, thumbprint, expiresAt, now });
    if (use === "seen") throw invalidProof("The DPoP proof was used before. Make a new one for each request.");
    if (use !== "first") {
      const description = "Too many DPoP proofs were used in a short time. Retry in a minute.";
      throw new OAuthError("temporarily_unavailable", description, { status: 503, headers: { "Retry-After": "60" } });
    }
    return thumbprint;
  };
}

async function verified(request: Parameters<typeof verifyProof>[0]): Promise<VerifiedProof> {
  try {
    return await verifyProof(request);
  } catch (error) {
    if (isBrokerTokenError(error)) throw invalidProof(error.message);
    throw error;
  }
}

/** Creates the error for a request whose proof is missing or invalid. */
export function invalidProof(description: string): OAuthError {
  return new OAuthError("invalid_dpop_proof", description);
}

/** Creates the error for a code or refresh token that is bound to a key of which the caller has no proof (RFC 9449 section 5). */
export function keyRequired(proofKeyId: string): OAuthError {
  return proofKeyId === ""
    ? invalidProof("A DPoP proof is required, because the grant is bound to a key. Send a proof of this key.")
    : new OAuthError("invalid_grant", "The grant is bound to a key other than that of the DPoP proof.");
}

/** How long a nonce is the current one, in milliseconds. It is accepted for twice that. */
const slotMs = 150_000;

/**
 * Creates the nonces of DPoP proofs, which need no storage: the HMAC of the current time slot. Processes with the same key accept each other's nonces. A proof
 * cannot be made for a later time, because its nonce is not known yet (RFC 9449 section 8).
 */
function createDpopNonces({ hmacKey, clock }: { readonly hmacKey: Uint8Array; readonly clock: Clock }) {
  const key = Buffer.from(hkdfSync("sha256", hmacKey, "", "dpop-nonce", 32));
  const nonceOf = (slot: number) => createHmac("sha256", key).update(String(slot)).digest("base64url");
  const slotNow = () => Math.floor(clock.now() / slotMs);
  return {
    current: () => nonceOf(slotNow()),
    /** Returns until when a nonce is accepted, in milliseconds since the epoch. Undefined: it is not accepted. */
    expiryOf(nonce = ""): number | undefined {
      const sent = Buffer.from(nonce);
      const issued = [slotNow(), slotNow() - 1].find((slot) => {
        const expected = Buffer.from(nonceOf(slot));
        return sent.length === expected.length && timingSafeEqual(sent, expected);
      });
      return issued === undefined ? undefined : (issued + 2) * slotMs;
    },
  };
}
