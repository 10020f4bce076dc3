import { printable } from "@platform-rpc/client";
import * as z from "zod";

const text = z.string().transform(printable);
const texts = z.array(z.string()).optional();
const count = z.int().nonnegative().optional();
const claims = z.object({
  /** The name of the platform in its tokens, which need not be an address. */
  iss: text.optional(),
  sub: text,
  tenant_id: text,
  client_id: text,
  scope: text,
  exp: z.number(),
  /** What the person has limited the approval to (RFC 9396). */
  authorization_details: z
    .array(z.looseObject({ vaults: texts, hosts: texts, max_uses: count, expires_at: count }))
    .optional(),
});

/** What an access token says about its bearer. Not verified: only for display, and to find what belongs to the session. */
export function readTokenClaims(token: string): z.infer<typeof claims> | undefined {
  try {
    const [, payload = ""] = token.split(".");
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  } catch {
    return undefined;
  }
}
