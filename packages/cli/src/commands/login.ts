import type { DeviceLoginPrompt } from "@platform-rpc/client/session";
import {
  acceptedUrl,
  createClients,
  findIssuer,
  logIn,
  ProgramError,
  parseUrl,
  readTokenClaims,
  removeUnlocked,
} from "@platform-rpc/signed-in";
import { renderUnicodeCompact } from "uqr";
import yoctoSpinner from "yocto-spinner";
import {
  allScopes,
  folderOf,
  loadSession,
  personName,
  type Scope,
  sessionAt,
  sessionOptionsAt,
} from "../session/connect.js";
import { readSettings, type SignedInAt, writeSettings } from "../session/settings-file.js";
import { explain } from "../terminal/explain.js";
import { findBrowser } from "../terminal/find-browser.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { removeProgramKey } from "../unlocked/program-key.js";

export interface LoginOptions {
  readonly url?: string;
  readonly accounts?: string;
  /** Default: the scope that lists and watches items. */
  readonly scope?: readonly Scope[];
  /** Shows a code, also where a browser could be opened. */
  readonly device?: boolean;
  readonly qr: boolean;
  readonly json?: boolean;
}

/**
 * Signs in: opens a browser on this machine, or shows a code for a browser anywhere, and waits until the person has approved. Then ends
 * the session that the new one has replaced on the server, too.
 */
export async function login(terminal: Terminal, options: LoginOptions): Promise<void> {
  const apiUrl = await urlOf(terminal, options);
  const issuer =
    options.accounts === undefined
      ? await findIssuer(apiUrl, terminal.signal)
      : httpUrl(options.accounts, "--accounts", "https://accounts.example.com");
  const at = { apiUrl, issuer };
  const { host } = new URL(apiUrl);
  const openPage = options.device ? undefined : await findBrowser(terminal.environment);
  const [least] = allScopes;
  let endReplaced: () => Promise<void>;
  const spinner = yoctoSpinner({ text: "Waiting for your approval in the browser", stream: process.stderr });
  const show = (prompt: object, lines: readonly string[]) => {
    if (options.json) return printLine(terminal, asJson("login", prompt));
    terminal.err(`${lines.join("\n")}\n`);
    if (terminal.interactive) spinner.start();
  };
  try {
    endReplaced = await logIn(sessionOptionsAt(terminal, at), {
      scopes: options.scope ?? [least],
      signal: terminal.signal,
      onBrowserPrompt:
        openPage &&
        ((prompt) => {
          show(prompt, [
            "Your browser opens this page:",
            prompt.authorizationUri,
            `Approve only if the page names ${host}.`,
            "If it does not open, open it yourself within a minute, on this computer. Or run: platform login --device",
            "",
          ]);
          openPage(prompt.authorizationUri);
        }),
      onPrompt(prompt) {
        const { userCode, verificationUri, verificationUriComplete = verificationUri, expiresAt } = prompt;
        show({ userCode, verificationUri, verificationUriComplete, expiresAt }, [
          ...codeLines(prompt, host),
          ...(options.qr ? [renderUnicodeCompact(verificationUriComplete), ""] : []),
        ]);
      },
    });
  } finally {
    spinner.stop();
  }
  await writeSettings(folderOf(terminal), at);
  const session = sessionAt(terminal, at);
  const scopes = (await session.scopes()) ?? [];
  const { sub: principalId, tenant_id: tenantId } =
    readTokenClaims((await loadSession(terminal))?.accessToken ?? "") ?? {};
  const displayName = await personName(createClients(at, session), scopes, terminal.signal);
  const named = displayName === undefined ? principalId : `${displayName} (${principalId})`;
  const who = principalId === undefined ? "" : ` as ${named} of the tenant ${tenantId}`;
  printLine(
    terminal,
    options.json
      ? asJson("login", { apiUrl, accountsUrl: issuer, principalId, displayName, tenantId, scopes })
      : `You are signed in to ${apiUrl}${who}, with ${scopes.join(", ")}. The session is in ${folderOf(terminal)}.`,
  );
  // The login has succeeded: an error here must not end it.
  await endReplaced().catch((error: unknown) => printNotice(terminal, explain(error).message, options));
}

/** Returns what a person reads who approves with a code. */
export function codeLines(
  { userCode, verificationUri }: Pick<DeviceLoginPrompt, "userCode" | "verificationUri">,
  host: string,
): readonly string[] {
  return [`Open ${verificationUri}`, `and enter the code ${userCode}`, `Approve only if the page names ${host}.`, ""];
}

/** Returns the URL of the API: of `--url`, `PLATFORM_URL`, the last login, or a server on this machine. @throws ProgramError */
export async function urlOf(
  terminal: Terminal,
  { url: given, json = false }: Pick<LoginOptions, "url" | "json">,
): Promise<string> {
  const { PLATFORM_URL } = terminal.environment;
  const url = given ?? (PLATFORM_URL || (await readSettings(folderOf(terminal)))?.apiUrl);
  if (url !== undefined) {
    return httpUrl(url, given === undefined ? "PLATFORM_URL" : "--url", "https://api.example.com");
  }
  const local = await findLocalServer(terminal.signal);
  if (local === undefined) {
    throw new ProgramError(
      "The URL of the API is required, because no server was found on this machine. Give it once: platform login --url https://api.example.com",
      "usage",
    );
  }
  printNotice(terminal, `Found a server on this machine: ${local.apiUrl}`, { json });
  return local.apiUrl;
}

function httpUrl(text: string, name: string, example: string): string {
  const url = parseUrl(text);
  if (url === undefined)
    throw new ProgramError(`${name} is not valid. It must be ${acceptedUrl}. Give it as ${example}`, "usage");
  return url;
}

/** The port of the API if nobody has set another one. */
const defaultPort = 8080;

/** A server on the same machine answers at once. */
const timeoutMs = 1_000;

/** Returns the platform that runs on this machine; undefined if there is none. */
export async function findLocalServer(signal: AbortSignal, port = defaultPort): Promise<SignedInAt | undefined> {
  const urls = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${port}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // Only one of them is the URL that its metadata names.
  const found = await Promise.all(
    urls.map((apiUrl) =>
      findIssuer(apiUrl, limit).then(
        (issuer) => ({ apiUrl, issuer }),
        () => undefined,
      ),
    ),
  );
  return found.find((server) => server !== undefined);
}

/** Ends the session on the server, and removes it from this machine, also if the server cannot be reached. */
export async function logout(terminal: Terminal): Promise<void> {
  await removeUnlocked(folderOf(terminal));
  await removeProgramKey(terminal);
  // The session names its server. The settings may be missing, damaged, or name another one.
  const stored = await loadSession(terminal);
  if (stored === undefined) return printLine(terminal, "You are not signed in.");
  const { issuer, resource: apiUrl } = stored;
  try {
    await sessionAt(terminal, { apiUrl, issuer }).signOut();
  } catch (error) {
    // The file is removed even so.
    const text = `You are signed out on this machine, but the session has not ended on the server. End it at ${issuer}/console/agents.`;
    throw new ProgramError(`${text}\n${explain(error).message}`, "unreachable");
  }
  printLine(terminal, `You are signed out of ${issuer}.`);
}
