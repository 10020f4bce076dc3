import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "@platform-rpc/server";

/** How long a nonce is the current one, in milliseconds. It is accepted for twice that. */
const slotMs = 150_000;

/** Issues and checks the nonces of DPoP proofs. */
export interface DpopNonces {
  /** Returns the current nonce. */
  current(): string;
  accepts(nonce: string | undefined): boolean;
}

/**
 * Creates nonces that need no storage: the HMAC of the current time slot. Processes with the same key accept each other's nonces. A proof
 * cannot be made for a later time, because its nonce is not known yet (RFC 9449 section 8).
 */
export function createDpopNonces({
  hmacKey,
  clock,
}: {
  readonly hmacKey: Uint8Array;
  readonly clock: Clock;
}): DpopNonces {
  const key = Buffer.from(hkdfSync("sha256", hmacKey, "", "dpop-nonce", 32));
  const nonceOf = (slot: number) => createHmac("sha256", key).update(String(slot)).digest("base64url");
  const slotNow = () => Math.floor(clock.now() / slotMs);
  return {
    current: () => nonceOf(slotNow()),
    accepts(nonce = "") {
      const sent = Buffer.from(nonce);
      return [slotNow(), slotNow() - 1].some((slot) => {
        const expected = Buffer.from(nonceOf(slot));
        return sent.length === expected.length && timingSafeEqual(sent, expected);
      });
    },
  };
}
