import { relative } from "node:path";
import type { DemoFiles } from "../demo-data/demo-files.js";

/** Where a started app is reached, and with which files. */
export interface StartedApp {
  /** The URL of the public listener on this machine, with the base path. */
  readonly publicUrl: string;
  /** The URL of the documentation on the public listener; undefined if it is not built. */
  readonly docsUrl: string | undefined;
  /** The URL of the internal listener on this machine. */
  readonly internalUrl: string;
  /** The issuer, which programs call; undefined if ACCOUNTS_TENANT is not set. */
  readonly accountsUrl: string | undefined;
  /** The origin where people sign in and approve devices. Browsers alone can reach it if it is below `localhost`. */
  readonly pagesUrl: string | undefined;
  /** The URL for MCP clients; undefined without an accounts origin. */
  readonly mcpUrl: string | undefined;
  /** The path of the file with the recovery code of the demo user, who can sign in there; undefined if there is none. */
  readonly recoveryCodeFile: string | undefined;
  /** The path of the file with the token for the private operations. */
  readonly adminTokenFile: string;
  /** A `curl` command for each public operation; empty without the demo. */
  readonly curlLines: readonly string[];
}

/**
 * Returns what `npm start` prints once the listeners are open: at most 12 lines. It names the files with secrets and never
 * prints a secret, because the output may be stored.
 */
export function startLines(app: StartedApp): string[] {
  const { publicUrl, docsUrl, internalUrl, accountsUrl, pagesUrl, mcpUrl, adminTokenFile, curlLines } = app;
  const { recoveryCodeFile } = app;
  const signIn = recoveryCodeFile === undefined ? "" : ` and sign in with the code in ${shortPath(recoveryCodeFile)}`;
  const pages =
    pagesUrl === accountsUrl ? "" : ` (pages: ${pagesUrl}, if a browser does not find it: docs/accounts.md)`;
  return [
    pagesUrl === undefined ? "The platform is running." : `Open ${pagesUrl}${signIn}.`,
    `  public    ${publicUrl}${docsUrl === undefined ? "" : ` (documentation: ${docsUrl})`}`,
    `  internal  ${internalUrl} (token: ${shortPath(adminTokenFile)})`,
    ...(accountsUrl === undefined ? [] : [`  accounts  ${accountsUrl}${pages}`]),
    ...(mcpUrl === undefined ? [] : [`  mcp       ${mcpUrl} (claude mcp add --transport http platform ${mcpUrl})`]),
    ...(curlLines.length === 0 ? [] : ["", "Call the API from another shell, as often as you like:", ...curlLines]),
    ...(accountsUrl === undefined ? [] : ["", "CLI: packages/cli/README.md   MCP: packages/mcp/README.md"]),
    "Press Ctrl+C to stop.",
  ];
}

/**
 * Returns one `curl` command for each public operation, to paste into a shell. Secrets are read from the demo's files, so
 * neither the command nor the shell's history contains any.
 */
export function curlLines(baseUrl: string, files: DemoFiles): string[] {
  const line = (operation: string, body: string) =>
    [
      `curl -sS ${quoted(`${baseUrl}/${operation}`)}`,
      `-H "Authorization: Bearer $(cat ${quoted(shortPath(files.accessToken))})"`,
      "-H Content-Type:application/json -H Connect-Protocol-Version:1",
      `-d @${quoted(shortPath(body))}`,
    ].join(" ");
  return [
    line("platform.v1.VaultService/DeleteItem", files.deleteItem),
    line("platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization", files.exchange),
  ];
}

/** Returns a text as one word of a POSIX shell, in quotes only if it needs them. */
function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a path relative to the current folder if it is inside, so that people can read and paste it. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
