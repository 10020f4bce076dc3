import type { RunningApp } from "./app.js";
import { shortPath } from "./short-path.js";

/** What the lines are about. */
export type StartedApp = Pick<
  RunningApp,
  "publicUrl" | "internalUrl" | "accountsUrl" | "recoveryCodeFile" | "adminTokenFile" | "curlLines"
>;

/**
 * Returns what `pnpm start` prints once the listeners are open: at most 12 lines. It names the files with secrets and never
 * prints a secret, because the output may be stored.
 */
export function startLines(app: StartedApp): string[] {
  const { publicUrl, internalUrl, accountsUrl, recoveryCodeFile, adminTokenFile, curlLines } = app;
  const signIn = recoveryCodeFile === undefined ? "" : ` and sign in with the code in ${shortPath(recoveryCodeFile)}`;
  return [
    accountsUrl === undefined ? "The platform is running." : `Open ${accountsUrl}${signIn}.`,
    `  public    ${publicUrl}`,
    `  internal  ${internalUrl} (token: ${shortPath(adminTokenFile)})`,
    ...(accountsUrl === undefined ? [] : [`  accounts  ${accountsUrl}`]),
    ...(curlLines.length === 0 ? [] : ["", "Call the API from another shell, as often as you like:", ...curlLines]),
    ...(accountsUrl === undefined ? [] : ["", "CLI: packages/cli/README.md   MCP: packages/mcp/README.md"]),
    "Press Ctrl+C to stop.",
  ];
}
