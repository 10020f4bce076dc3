import { isPlatformError } from "@platform-rpc/client";
import type { RenewableSession } from "@platform-rpc/client/session";
import { ProgramError, readTokenClaims } from "@platform-rpc/signed-in";
import { connect, loadSession, personName } from "../session/connect.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { readUnlocked } from "../unlocked/unlocked-vaults.js";

/** Prints who is signed in where, what the program may do, and whether the server still accepts the session. */
export async function whoami(terminal: Terminal, { json = false }: { readonly json?: boolean }): Promise<void> {
  const connection = await connect(terminal);
  const { session, apiUrl, issuer } = connection;
  const checked = await check(terminal, session, json);
  const claims = readTokenClaims((await loadSession(terminal))?.accessToken ?? "");
  if (claims === undefined) throw new ProgramError(`The token of ${issuer} has an unknown form. Update this program.`);
  const { sub: principalId, tenant_id: tenantId, scope } = claims;
  const scopes = scope.split(" ");
  const displayName = checked ? await personName(connection, scopes, terminal.signal) : undefined;
  const unlockedUntil = (await readUnlocked(terminal))?.expiresAt;
  const shown = {
    displayName,
    principalId,
    tenantId,
    apiUrl,
    accountsUrl: issuer,
    scopes,
    checked,
    unlockedUntil,
  };
  if (json) return printLine(terminal, asJson("whoami", shown));
  const lines = [
    ...(displayName === undefined ? [] : [`name       ${displayName}`]),
    `principal  ${principalId}`,
    `tenant     ${tenantId}`,
    `api        ${apiUrl}`,
    `accounts   ${issuer}`,
    `scopes     ${scopes.join(", ")}`,
    `session    ${checked ? "accepted by the server" : "not checked: it may have ended"}`,
    `vaults     ${lockInWords(terminal, unlockedUntil)}`,
  ];
  printLine(terminal, lines.join("\n"));
}

function lockInWords({ isOutTerminal }: Terminal, until: Date | undefined): string {
  if (until === undefined) return "locked";
  return `unlocked until ${isOutTerminal ? until.toLocaleTimeString() : until.toISOString()}`;
}

/** Renews the session: only the server knows whether it has ended. Returns false without an answer. @throws PlatformError if it has. */
async function check(terminal: Terminal, session: RenewableSession, json: boolean): Promise<boolean> {
  try {
    await session.token({ signal: terminal.signal, reason: "rejected" });
    return true;
  } catch (error) {
    if (!isPlatformError(error, "NETWORK_ERROR")) throw error;
    printNotice(terminal, `The session could not be checked. It may have ended.\n${error.message}`, { json });
    return false;
  }
}
