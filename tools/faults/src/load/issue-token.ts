import type { Journal } from "../history/journal.ts";
import type { Admin } from "./admin.ts";
import { fixture } from "./plan.ts";
import { type IssuedToken, readIssuedToken } from "./responses.ts";

/** The principal and the OAuth client of a token. */
export interface TokenSubject {
  readonly principalId: string;
  readonly oauthClientId: string;
}

/** Creates the function with which an administrator issues a token. It records the token. */
export function createIssueToken({ admin, journal }: { readonly admin: Admin; readonly journal: Journal }) {
  return async (subject: TokenSubject, scopes: readonly string[]): Promise<IssuedToken> => {
    const body = { tenantId: fixture.tenantId, ...subject, scopes, expiresInSeconds: 0 };
    const token = readIssuedToken(await admin.succeed("AccessAdminService/IssueAccessToken", body));
    const result = { ok: true, tokenId: token.tokenId } as const;
    await journal.record({ on: "token", kind: "issue" }, "", async () => ({ result }));
    return token;
  };
}
