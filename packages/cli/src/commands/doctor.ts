import { findIssuer } from "@platform-rpc/program";
import { CommandError } from "../exit-code.js";
import { explain } from "../explain.js";
import { folderOf, sessionAt } from "../session/connect.js";
import { readSettings } from "../session/settings-file.js";
import { readTokenClaims } from "../session/token-claims.js";
import { printLine, type Terminal } from "../terminal.js";

/** The result of one check: what was found, and what to do if it is wrong. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** How far this machine's clock may differ from the server's, in milliseconds. */
const largestSkew = 30_000;

const needed = ["vault.items:delete", "vault.items:read", "vault.items:restore"];
const loopback = /^(?:localhost|127\.[0-9.]+|\[::1\])$/;

/** Checks everything that a command needs, and says what is wrong. @throws CommandError if something is. */
export async function doctor(terminal: Terminal, { json = false }: { readonly json?: boolean }): Promise<void> {
  const checks: Check[] = [];
  const at = await readSettings(folderOf(terminal));
  const { PLATFORM_URL } = terminal.environment;
  const apiUrl = at?.apiUrl ?? PLATFORM_URL;
  if (apiUrl === undefined) {
    checks.push({
      name: "url",
      ok: false,
      text: "The URL of the API is not known. Run: platform login --url https://api.example.com",
    });
  } else {
    checks.push(checkTls(apiUrl), await checkServer(apiUrl, terminal.signal));
    checks.push(await checkIssuer(apiUrl, terminal.signal));
  }
  if (at === undefined) checks.push({ name: "session", ok: false, text: "You are not signed in. Run: platform login" });
  else checks.push(...(await checkSession(terminal, at.issuer)));

  for (const check of checks) {
    printLine(terminal, json ? JSON.stringify(check) : `${check.ok ? "✓" : "✗"} ${check.name}: ${check.text}`);
  }
  const wrong = checks.filter(({ ok }) => !ok).length;
  if (wrong > 0) throw new CommandError(`${wrong} of ${checks.length} checks failed.`);
}

function checkTls(apiUrl: string): Check {
  const { protocol, hostname } = new URL(apiUrl);
  const ok = protocol === "https:" || loopback.test(hostname);
  const text = ok
    ? `${apiUrl} is ${protocol === "https:" ? "encrypted" : "on this machine"}`
    : `${apiUrl} is not encrypted. Use https.`;
  return { name: "tls", ok, text };
}

/** Checks that the API answers, and compares its clock with this machine's. */
async function checkServer(apiUrl: string, signal: AbortSignal): Promise<Check> {
  try {
    const sentAt = Date.now();
    const answer = await fetch(`${apiUrl}/healthz`, { signal });
    if (!answer.ok)
      return { name: "server", ok: false, text: `${apiUrl} answers with HTTP ${answer.status}. Ask its operator.` };
    const date = Date.parse(answer.headers.get("Date") ?? "");
    // The header has whole seconds, and the answer took a while.
    const skew = date - (sentAt + Date.now()) / 2;
    if (Math.abs(skew) > largestSkew) {
      const text = `This machine's clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "behind" : "ahead of"} the server's. Set it.`;
      return { name: "clock", ok: false, text };
    }
    return { name: "server", ok: true, text: `${apiUrl} answers, and the clocks agree` };
  } catch (error) {
    return {
      name: "server",
      ok: false,
      text: `${apiUrl} cannot be reached (${causeOf(error)}). Check the URL and the network.`,
    };
  }
}

async function checkIssuer(apiUrl: string, signal: AbortSignal): Promise<Check> {
  try {
    return { name: "accounts", ok: true, text: `people sign in at ${await findIssuer(apiUrl, signal)}` };
  } catch (error) {
    return { name: "accounts", ok: false, text: explain(error).message };
  }
}

async function checkSession(terminal: Terminal, issuer: string): Promise<Check[]> {
  try {
    const { accessToken, expiresAt } = await sessionAt(terminal, issuer).token({ signal: terminal.signal });
    const scopes = readTokenClaims(accessToken.reveal())?.scope.split(" ") ?? [];
    const missing = needed.filter((scope) => !scopes.includes(scope));
    return [
      { name: "session", ok: true, text: `the access token is valid until ${expiresAt.toISOString()}` },
      {
        name: "scopes",
        ok: missing.length === 0,
        text:
          missing.length === 0
            ? scopes.join(", ")
            : `Missing: ${missing.join(", ")}. Run platform login, and approve them.`,
      },
    ];
  } catch (error) {
    return [{ name: "session", ok: false, text: explain(error).message }];
  }
}

function causeOf(error: unknown): string {
  const { cause }: { readonly cause?: unknown } = Object(error);
  const { code }: { readonly code?: unknown } = Object(cause);
  return typeof code === "string" ? code : "no answer";
}
