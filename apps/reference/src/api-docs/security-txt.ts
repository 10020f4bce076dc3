import type { Clock, Document } from "@platform-rpc/server";
import { liveDocument } from "../live-document.js";

export const securityTxtPath = "/.well-known/security.txt";

const day = 24 * 60 * 60 * 1000;

/** How long the file is valid, in milliseconds. RFC 9116 recommends less than a year. */
const validFor = 180 * day;

/**
 * Creates the security.txt, which says where to report vulnerabilities. Its expiry moves on every day, so that it never
 * expires while the platform runs.
 *
 * @see RFC 9116
 */
export function securityTxt(options: {
  /** A mailto:, https: or tel: URI. */
  readonly contact: string;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}): () => Document {
  const { contact, publicUrl, clock } = options;
  const fields = () => [
    `Contact: ${contact}`,
    `Expires: ${new Date(Math.floor(clock.now() / day) * day + validFor).toISOString()}`,
    "Preferred-Languages: en",
    // Served from the root of the host, without the base path.
    ...(publicUrl() === "" ? [] : [`Canonical: ${new URL(securityTxtPath, publicUrl()).href}`]),
  ];
  return liveDocument(
    () => `${fields().join("\n")}\n`,
    (body) => ({ status: 200, contentType: "text/plain; charset=utf-8", body, cacheControl: "public, max-age=86400" }),
  );
}
