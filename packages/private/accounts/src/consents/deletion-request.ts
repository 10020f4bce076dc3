import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";

/** How long a person may take to open the page and decide, and the assistant to call the tool again: for each, in milliseconds. */
export const consentLifeMs = 5 * 60_000;

const deletionRequest = z.object({
  tenantId: z.string(),
  /** The person who is asked. */
  principalId: z.string(),
  /** The software that asks. */
  oauthClientId: z.string(),
  vaultId: z.string(),
  itemId: z.string(),
  /** The version that the software saw. */
  version: z.number(),
});

/** Exactly one deletion, for which software asks the consent of a person. */
export type DeletionRequest = z.infer<typeof deletionRequest>;

const signedRequest = deletionRequest.extend({ expiresAt: z.number() });

/** The path of the page on which the person decides. */
export const deletionPath = "/consent/deletion";

/** The requests of software for the consent of a person. Each is in the URL of its page: none is stored. */
export interface DeletionRequests {
  /** Returns the URL of the page for a request. It works for 5 minutes, and only for the person who is asked. */
  link(request: DeletionRequest): string;
  /** Reads a link. Undefined if this server has not made it. */
  read(signed: string): DeletionLink | undefined;
}

/** A link that this server has made. */
export interface DeletionLink {
  readonly request: DeletionRequest;
  readonly expired: boolean;
}

/** Creates the requests. Signed, so that nobody but software with a token can make a page that asks in its name. */
export function createDeletionRequests({
  origin,
  clock,
  platform,
}: Pick<AccountsParts, "origin" | "clock"> & {
  readonly platform: { readonly keyRing: Pick<AccountsParts["platform"]["keyRing"], "hmacKey"> };
}) {
  const key = Buffer.from(hkdfSync("sha256", platform.keyRing.hmacKey, "", "deletion-request", 32));
  const sign = (body: string) => createHmac("sha256", key).update(body).digest();
  return {
    link(request) {
      const signed = { ...request, expiresAt: clock.now() + consentLifeMs };
      const body = Buffer.from(JSON.stringify(signed)).toString("base64url");
      const query = new URLSearchParams({ request: `${body}.${sign(body).toString("base64url")}` });
      return `${origin}${deletionPath}?${query}`;
    },
    read(signed) {
      const [body = "", signature = ""] = signed.split(".");
      const [sent, expected] = [Buffer.from(signature, "base64url"), sign(body)];
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
      const { expiresAt, ...request } = signedRequest.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
      return { request, expired: clock.now() >= expiresAt };
    },
  } satisfies DeletionRequests;
}
