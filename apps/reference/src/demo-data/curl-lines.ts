import type { DemoFiles } from "./demo-files.js";

/**
 * Returns one `curl` command for each public operation, to paste into a shell. Secrets are read from the demo's files, so
 * neither the command nor the shell's history contains any.
 */
export function curlLines(baseUrl: string, files: DemoFiles): string[] {
  const line = (operation: string, body: string) =>
    [
      `curl -sS -X POST ${quoted(`${baseUrl}/${operation}`)}`,
      `-H "Authorization: Bearer $(cat ${quoted(files.accessToken)})"`,
      "-H 'Content-Type: application/json' -H 'Connect-Protocol-Version: 1'",
      `-d @${quoted(body)}`,
    ].join(" ");
  return [
    line("platform.v1.VaultService/DeleteItem", files.deleteItem),
    line("platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization", files.exchange),
  ];
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
