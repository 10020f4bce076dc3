import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";

/** How long a person may take to open the page and decide, and the software to try again: for each, in milliseconds. */
export const consentLifeMs = 5 * 60_000;

const itemRequest = z.object({
  tenantId: z.string(),
  /** The person who is asked. */
  principalId: z.string(),
  /** The software that asks. */
  oauthClientId: z.string(),
  vaultId: z.string(),
  itemId: z.string(),
  /** The version that the software, or the broker that acts for it, saw. */
  version: z.number(),
});

/** Exactly one act, for which software asks the consent of a person: to delete an item, or to use its secret at a host. */
const consentRequest = z.discriminatedUnion("kind", [
  itemRequest.extend({ kind: z.literal("deletion") }),
  // Another login of the software does not take the consent of this one.
  itemRequest.extend({ kind: z.literal("use"), host: z.string(), delegationId: z.string() }),
]);

export type ConsentRequest = z.infer<typeof consentRequest>;

const signedRequest = z.object({ request: consentRequest, expiresAt: z.number() });

/** The path of the page on which the person decides. */
export const consentPath = "/consent";

/** The requests of software for the consent of a person. Each is in the URL of its page: none is stored. */
export type ConsentRequests = ReturnType<typeof createConsentRequests>;

/** Creates the requests. Signed, so that nobody but software with a token can make a page that asks in its name. */
export function createConsentRequests({
  origin,
  clock,
  platform,
}: Pick<AccountsParts, "origin" | "clock"> & {
  readonly platform: { readonly keyRing: Pick<AccountsParts["platform"]["keyRing"], "hmacKey"> };
}) {
  const key = Buffer.from(hkdfSync("sha256", platform.keyRing.hmacKey, "", "consent-request", 32));
  const sign = (body: string) => createHmac("sha256", key).update(body).digest();
  return {
    /** Returns the URL of the page for a request. It works for 5 minutes, and only for the person who is asked. */
    link(request: ConsentRequest): string {
      const signed = { request, expiresAt: clock.now() + consentLifeMs };
      const body = Buffer.from(JSON.stringify(signed)).toString("base64url");
      const query = new URLSearchParams({ request: `${body}.${sign(body).toString("base64url")}` });
      return `${origin}${consentPath}?${query}`;
    },
    /** Reads a link. Undefined if this server has not made it. */
    read(signed: string) {
      const [body = "", signature = ""] = signed.split(".");
      const [sent, expected] = [Buffer.from(signature, "base64url"), sign(body)];
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
      const { expiresAt, request } = signedRequest.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
      return { request, expired: clock.now() >= expiresAt };
    },
  };
}
