import { ProgramError } from "@platform-rpc/program";
import { connect } from "../session/connect.js";
import { readTokenClaims } from "../session/token-claims.js";
import { printLine, type Terminal } from "../terminal.js";

/** Prints who is signed in where, and what the program may do. */
export async function whoami(terminal: Terminal, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { session, apiUrl, issuer } = await connect(terminal);
  const { accessToken } = await session.token({ signal: terminal.signal });
  const claims = readTokenClaims(accessToken.reveal());
  if (claims === undefined) throw new ProgramError(`The token of ${issuer} has an unknown form. Update this program.`);
  const { sub: principalId, tenant_id: tenantId, scope } = claims;
  const shown = { principalId, tenantId, apiUrl, accountsUrl: issuer, scopes: scope.split(" ") };
  if (json) return printLine(terminal, JSON.stringify(shown));
  const lines = [
    `principal  ${principalId}`,
    `tenant     ${tenantId}`,
    `api        ${apiUrl}`,
    `accounts   ${issuer}`,
    `scopes     ${shown.scopes.join(", ")}`,
  ];
  printLine(terminal, lines.join("\n"));
}
