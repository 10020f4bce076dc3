import { findIssuer } from "@platform-rpc/program";
import { renderUnicodeCompact } from "uqr";
import yoctoSpinner from "yocto-spinner";
import { CommandError, exitCode } from "../exit-code.js";
import { folderOf, sessionAt } from "../session/connect.js";
import { readSettings, writeSettings } from "../session/settings-file.js";
import { printLine, type Terminal } from "../terminal.js";

export interface LoginOptions {
  readonly url?: string;
  readonly accounts?: string;
  readonly qr: boolean;
  readonly json?: boolean;
}

/** Signs in: shows a code, and waits until the person has approved it in a browser. */
export async function login(terminal: Terminal, options: LoginOptions): Promise<void> {
  const apiUrl = await urlOf(terminal, options.url);
  const issuer = options.accounts ?? (await findIssuer(apiUrl, terminal.signal));
  const session = sessionAt(terminal, issuer);
  const spinner = yoctoSpinner({ text: "Waiting for your approval in the browser", stream: process.stderr });
  try {
    await session.logIn({
      signal: terminal.signal,
      onPrompt({ userCode, verificationUri, verificationUriComplete = verificationUri, expiresAt }) {
        if (options.json) {
          const prompt = { userCode, verificationUri, verificationUriComplete, expiresAt: expiresAt.toISOString() };
          return printLine(terminal, JSON.stringify(prompt));
        }
        const lines = [
          `Open ${verificationUri}`,
          `and enter the code ${userCode}`,
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
  await writeSettings(folderOf(terminal), { apiUrl, issuer });
  const scopes = (await session.scopes()) ?? [];
  printLine(
    terminal,
    options.json
      ? JSON.stringify({ apiUrl, issuer, scopes })
      : `You are signed in to ${apiUrl}. The session is in ${folderOf(terminal)}.`,
  );
}

async function urlOf(terminal: Terminal, given: string | undefined): Promise<string> {
  const { PLATFORM_URL } = terminal.environment;
  const url = given ?? (PLATFORM_URL || (await readSettings(folderOf(terminal)))?.apiUrl);
  if (url === undefined) {
    throw new CommandError(
      "The URL of the API is missing. Give it once: platform login --url https://api.example.com",
      exitCode.usage,
    );
  }
  if (!URL.canParse(url))
    throw new CommandError("--url is not a URL. Give it as https://api.example.com", exitCode.usage);
  return url.replace(/\/+$/, "");
}
