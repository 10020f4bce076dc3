import { relative } from "node:path";
import type { RunningApp } from "./app.js";

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
  const signIn = recoveryCodeFile === undefined ? "" : ` and sign in with the code in ${shown(recoveryCodeFile)}`;
  return [
    accountsUrl === undefined ? "The platform is running." : `Open ${accountsUrl}${signIn}.`,
    `  public    ${publicUrl}`,
    `  internal  ${internalUrl} (token: ${shown(adminTokenFile)})`,
    ...(accountsUrl === undefined ? [] : [`  accounts  ${accountsUrl}`]),
    ...(curlLines.length === 0 ? [] : ["", "Call the API from another shell, as often as you like:", ...curlLines]),
    ...(accountsUrl === undefined
      ? []
      : ["", `CLI: platform login --url ${publicUrl}   MCP: PLATFORM_URL=${publicUrl} platform-mcp`]),
    "Press Ctrl+C to stop.",
  ];
}

/** Returns a path as short as it can be said from the current folder. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
