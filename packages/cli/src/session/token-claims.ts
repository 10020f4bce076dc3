import * as z from "zod";

const claims = z.object({
  sub: z.string(),
  tenant_id: z.string(),
  client_id: z.string(),
  scope: z.string(),
  exp: z.number(),
});

/** What an access token says about its bearer. Not verified: only for display. */
export function readTokenClaims(token: string): z.infer<typeof claims> | undefined {
  try {
    const [, payload = ""] = token.split(".");
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  } catch {
    return undefined;
  }
}
