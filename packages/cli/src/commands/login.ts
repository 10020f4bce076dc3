import { acceptedUrl, findIssuer, logIn, ProgramError, parseUrl } from "@platform-rpc/program";
import { renderUnicodeCompact } from "uqr";
import yoctoSpinner from "yocto-spinner";
import { explain } from "../explain.js";
import { folderOf, sessionAt, sessionOptionsAt } from "../session/connect.js";
import { allScopes, type Scope } from "../session/scopes.js";
import { readSettings, writeSettings } from "../session/settings-file.js";
import { printLine, printNotice, type Terminal } from "../terminal.js";

export interface LoginOptions {
  readonly url?: string;
  readonly accounts?: string;
  /** Default: the scope that lists and watches items. */
  readonly scope?: readonly Scope[];
  readonly qr: boolean;
  readonly json?: boolean;
}

/**
 * Signs in: shows a code, and waits until the person has approved it in a browser. Then ends the session that the new one has replaced
 * on the server, too.
 */
export async function login(terminal: Terminal, options: LoginOptions): Promise<void> {
  const apiUrl = await urlOf(terminal, options.url);
  const issuer =
    options.accounts === undefined
      ? await findIssuer(apiUrl, terminal.signal)
      : httpUrl(options.accounts, "--accounts", "https://accounts.example.com");
  const at = { apiUrl, issuer };
  const [least] = allScopes;
  let endReplaced: () => Promise<void>;
  const spinner = yoctoSpinner({ text: "Waiting for your approval in the browser", stream: process.stderr });
  try {
    endReplaced = await logIn(sessionOptionsAt(terminal, at), {
      scopes: options.scope ?? [least],
      signal: terminal.signal,
      onPrompt({ userCode, verificationUri, verificationUriComplete = verificationUri, expiresAt }) {
        if (options.json) {
          const prompt = { userCode, verificationUri, verificationUriComplete, expiresAt: expiresAt.toISOString() };
          return printLine(terminal, JSON.stringify(prompt));
        }
        const lines = [
          `Open ${verificationUri}`,
          `and enter the code ${userCode}`,
          `Approve only if the page names ${new URL(apiUrl).host}.`,
          "",
          ...(options.qr ? [renderUnicodeCompact(verificationUriComplete), ""] : []),
        ];
        terminal.err(`${lines.join("\n")}\n`);
        if (terminal.interactive) spinner.start();
      },
    });
  } finally {
    spinner.stop();
  }
  await writeSettings(folderOf(terminal), at);
  const scopes = (await sessionAt(terminal, at).scopes()) ?? [];
  printLine(
    terminal,
    options.json
      ? JSON.stringify({ apiUrl, accountsUrl: issuer, scopes })
      : `You are signed in to ${apiUrl}, with ${scopes.join(", ")}. The session is in ${folderOf(terminal)}.`,
  );
  // The login has succeeded: an error here must not end it.
  await endReplaced().catch((error: unknown) => printNotice(terminal, explain(error).message, options));
}

async function urlOf(terminal: Terminal, given: string | undefined): Promise<string> {
  const { PLATFORM_URL } = terminal.environment;
  const url = given ?? (PLATFORM_URL || (await readSettings(folderOf(terminal)))?.apiUrl);
  if (url === undefined) {
    throw new ProgramError(
      "The URL of the API is missing. Give it once: platform login --url https://api.example.com",
      "usage",
    );
  }
  return httpUrl(url, given === undefined ? "PLATFORM_URL" : "--url", "https://api.example.com");
}

function httpUrl(text: string, name: string, example: string): string {
  const url = parseUrl(text);
  if (url === undefined)
    throw new ProgramError(`${name} is not valid. It must be ${acceptedUrl}. Give it as ${example}`, "usage");
  return url;
}
