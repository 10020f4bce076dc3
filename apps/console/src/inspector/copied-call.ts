import type { RecordedCall } from "./call-recorder.js";

type Copied = Pick<RecordedCall, "url" | "operation" | "request">;

/** Returns a command of a POSIX shell that sends the same request. The token is read from the variable TOKEN. */
export function asCurl({ url, request }: Copied): string {
  return [
    `curl -sS -X POST ${quoted(url)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    "-H 'Content-Type: application/json' -H 'Connect-Protocol-Version: 1'",
    `--data-raw ${quoted(request)}`,
  ].join(" \\\n  ");
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The packages with the services of the operations, by their package in the contract. */
const packages: readonly (readonly [prefix: string, from: string])[] = [
  ["platform.v1.", "@platform-rpc/types"],
  ["platform.accounts.v1.", "@platform-rpc/types-internal/accounts"],
];

/** Returns a TypeScript program that sends the same request. The token is read from the environment variable TOKEN. */
export function asTypeScript({ url, operation, request }: Copied): string {
  const [service = "", method = ""] = operation.split("/");
  const [prefix, from] = packages.find(([start]) => service.startsWith(start)) ?? ["", "@platform-rpc/types"];
  const name = service.slice(prefix.length);
  const baseUrl = url.slice(0, -operation.length - 1);
  return `import { createClient } from "@connectrpc/connect";
import { createPlatformTransport } from "@platform-rpc/client";
import { ${name} } from "${from}";

const transport = createPlatformTransport({ baseUrl: ${JSON.stringify(baseUrl)}, token: process.env["TOKEN"] });
const client = createClient(${name}, transport);
const response = await client.${method.charAt(0).toLowerCase()}${method.slice(1)}(${literal(request)});
console.log(response);
`;
}

/** Returns a JSON text as a literal of TypeScript, with one member a line. */
function literal(json: string): string {
  // In a literal, this name would set the prototype.
  return JSON.stringify(JSON.parse(json), undefined, 2).replaceAll('"__proto__":', '["__proto__"]:');
}
