import { acceptedUrl, findIssuer, ProgramError, parseUrl, readTokenClaims, request } from "@platform-rpc/signed-in";
import { allScopes, connect, folderOf } from "../session/connect.js";
import { readSettings } from "../session/settings-file.js";
import { explain } from "../terminal/explain.js";
import { printStyled } from "../terminal/styled.js";
import { asJson, printLine, type Terminal } from "../terminal/terminal.js";

/** The result of one check: what was found, and what to do if it is wrong. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** How far this machine's clock may differ from the server's, in milliseconds. */
const largestSkew = 30_000;

/** Checks everything that a command needs, and prints what is wrong. @throws ProgramError if something is. */
export async function doctor(terminal: Terminal, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { signal, environment } = terminal;
  const { PLATFORM_URL } = environment;
  // The check of the session reports settings that cannot be read.
  const at = await readSettings(folderOf(terminal)).catch(() => undefined);
  const apiUrl = at?.apiUrl ?? parseUrl(PLATFORM_URL);
  const known = PLATFORM_URL ? `PLATFORM_URL is not valid. It must be ${acceptedUrl}` : "It is not known";
  const checks = [await check("url", async () => apiUrl ?? fail(`${known}. Run: platform login --url <url>`))];
  if (apiUrl !== undefined) {
    checks.push(
      await check("tls", async () => findTls(apiUrl)),
      await check("server", () => findServer(apiUrl, signal)),
      await check("accounts", async () => `the server that issues tokens is ${await findIssuer(apiUrl, signal)}`),
    );
  }
  const session = await check("session", () => findSession(terminal));
  checks.push(session);
  if (session.ok) checks.push(await check("scopes", () => findScopes(terminal)));
  for (const one of checks) {
    const mark = one.ok ? ({ text: "✓", style: "green" } as const) : ({ text: "✗", style: "red" } as const);
    if (json) printLine(terminal, asJson("doctor", one));
    else printStyled(terminal, mark, ` ${one.name}: ${one.text}`);
  }
  const wrong = checks.filter(({ ok }) => !ok).length;
  if (wrong > 0) fail(`${wrong} of ${checks.length} checks failed.`);
}

async function check(name: string, find: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, text: await find() };
  } catch (error) {
    return { name, ok: false, text: explain(error).message };
  }
}

function fail(text: string): never {
  throw new ProgramError(text);
}

function findTls(apiUrl: string): string {
  return new URL(apiUrl).protocol === "https:" ? "the connection is encrypted" : "not needed on this machine";
}

/** Checks that the API answers, and compares its clock with this machine's. */
async function findServer(apiUrl: string, signal: AbortSignal): Promise<string> {
  const sentAt = Date.now();
  const { ok, status, headers } = await request(`${apiUrl}/healthz`, signal);
  if (!ok) fail(`${apiUrl} answers with HTTP ${status}. Ask its operator.`);
  // The header has whole seconds, and the request took some time.
  const skew = Date.parse(headers.get("Date") ?? "") - (sentAt + Date.now()) / 2;
  if (Math.abs(skew) > largestSkew) {
    const seconds = Math.round(Math.abs(skew) / 1000);
    fail(`This machine's clock is ${seconds} s ${skew > 0 ? "behind" : "ahead of"} the server's. Set it.`);
  }
  return "it answers, and the clocks agree";
}

/** Checks the session by renewing it: only the server knows whether somebody has ended it. */
async function findSession(terminal: Terminal): Promise<string> {
  const { issuer, session } = await connect(terminal);
  await session.token({ signal: terminal.signal, reason: "rejected" });
  return `accepted by ${issuer}`;
}

async function findScopes(terminal: Terminal): Promise<string> {
  const { session } = await connect(terminal);
  const { accessToken } = await session.token({ signal: terminal.signal });
  const scopes = readTokenClaims(accessToken.reveal())?.scope.split(" ") ?? [];
  const others = allScopes.filter((scope) => !scopes.includes(scope));
  const more = others.length === 0 ? "" : `. For ${others.join(" or ")}, run: platform login --scope`;
  return `${scopes.join(", ")}${more}`;
}
