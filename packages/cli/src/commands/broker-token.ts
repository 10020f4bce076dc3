import { join } from "node:path";
import {
  findBrokerTokens,
  findIssuer,
  logIn,
  openSession,
  ProgramError,
  platformErrorOf,
  readTokenClaims,
} from "@platform-rpc/signed-in";
import { folderOf, type Scope } from "../session/connect.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { codeLines, urlOf } from "./login.js";

export interface BrokerTokenOptions {
  readonly url?: string;
  readonly clientId: string;
  /** The ids of vaults. Default: all of the person. */
  readonly vault?: readonly string[];
  /** Default: those of the items. */
  readonly host?: readonly string[];
  /** Default: 50. */
  readonly maxUses?: number;
  /** How long to ask for, in milliseconds. Default: a day. */
  readonly for?: number;
  /** Whether to ask although an approval lasts. */
  readonly ask?: boolean;
  readonly json?: boolean;
}

const scope: Scope = "vault.items:use";

/** Prints a broker token of an agent that is valid for some minutes. Asks the person only if no approval of theirs lasts. */
export async function brokerToken(terminal: Terminal, options: BrokerTokenOptions): Promise<void> {
  const { signal } = terminal;
  const { clientId, vault: vaults, host: hosts, maxUses = 50, for: lifeMs = 86_400_000, json } = options;
  const apiUrl = await urlOf(terminal, options);
  const issuer = await findIssuer(apiUrl, signal);
  const { audience } = await findBrokerTokens(issuer, signal);
  const login = {
    issuer,
    clientId,
    // Refresh tokens are for one resource: this login gets no tokens of the API.
    resource: audience,
    dpop: false,
    path: join(folderOf(terminal), `agent-${encodeURIComponent(clientId)}.json`),
    bounds: { vaults, hosts, maxUses, actions: ["use"], expiresAt: new Date(Date.now() + lifeMs) },
  } as const;
  const current = () => openSession(login).token({ signal });
  const ask = async () => {
    const endReplaced = await logIn(login, {
      scopes: [scope],
      signal,
      onPrompt: (prompt) =>
        json
          ? printLine(terminal, asJson("broker token", prompt))
          : terminal.err(`${codeLines(prompt, new URL(apiUrl).host).join("\n")}\n`),
    }).catch((thrown: unknown) => {
      const error = platformErrorOf(thrown);
      // The advice of other commands, to log in, does not help here.
      throw error?.reason === "UNAUTHENTICATED" ? new ProgramError(error.message, "not signed in") : thrown;
    });
    // Without it, what was replaced is the login of the same command that runs at the same time.
    if (options.ask) await endReplaced().catch((error: Error) => printNotice(terminal, error.message, options));
    return current();
  };
  const askIfEnded = (thrown: unknown) => {
    if (platformErrorOf(thrown)?.reason !== "UNAUTHENTICATED") throw thrown;
    return ask();
  };
  const { accessToken, expiresAt } = await (options.ask ? ask() : current().catch(askIfEnded));
  const token = accessToken.reveal();
  const limits = limitsOf(token, options);
  if (limits.length > 0) {
    printNotice(terminal, `The approval that lasts is ${limits.join(", ")}. To ask again, add --ask.`, options);
  }
  printLine(
    terminal,
    json ? asJson("broker token", { accessToken: token, expiresAt: expiresAt.toISOString() }) : token,
  );
}

/** Returns how an approval, as its token says, limits what the options ask for. Defaults ask for nothing. */
function limitsOf(token: string, { vault, host, maxUses = 0, for: lifeMs = 0 }: BrokerTokenOptions): string[] {
  const [approved] = readTokenClaims(token)?.authorization_details ?? [];
  const { vaults, hosts, max_uses: uses = maxUses, expires_at: end = Number.POSITIVE_INFINITY } = approved ?? {};
  const limits = [];
  if (isOther(vault, vaults) || isOther(host, hosts)) limits.push("for other vaults or hosts");
  if (uses < maxUses) limits.push(`for ${uses} uses only`);
  // The same command, run again, asks for a later time: half of it is enough.
  if (end * 1000 < Date.now() + lifeMs / 2) limits.push(`until ${new Date(end * 1000).toISOString()} only`);
  return limits;
}

/** Returns whether something was asked for that is not approved. An absent list approves everything. */
function isOther(asked: readonly string[] | undefined, approved = asked): boolean {
  return asked?.every((each) => approved?.includes(each)) === false;
}
