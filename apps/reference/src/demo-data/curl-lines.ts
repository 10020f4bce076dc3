import { shortPath } from "../short-path.js";
import type { DemoFiles } from "./demo-files.js";

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
