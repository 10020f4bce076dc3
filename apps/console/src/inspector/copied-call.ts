import type { RecordedCall } from "../session/call-recorder.js";

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

/** The package of the public operations in the contract. The services of others are in no published npm package. */
const publicPackage = "platform.v1.";

/**
 * Returns a TypeScript program that sends the same request: with the published client if the operation is public, otherwise with `fetch`.
 * The token is read from the environment variable TOKEN.
 */
export function asTypeScript({ url, operation, request }: Copied): string {
  if (!operation.startsWith(publicPackage)) {
    return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env["TOKEN"]}\`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
  },
  body: JSON.stringify(${literal(request)}),
});
console.log(response.status, await response.json());
`;
  }
  const [service = "", method = ""] = operation.slice(publicPackage.length).split("/");
  const baseUrl = url.slice(0, -operation.length - 1);
  return `import { createClient } from "@connectrpc/connect";
import { createPlatformTransport } from "@platform-rpc/client";
import { ${service} } from "@platform-rpc/types";

const transport = createPlatformTransport({ baseUrl: ${JSON.stringify(baseUrl)}, token: process.env["TOKEN"] });
const client = createClient(${service}, transport);
const response = await client.${method.charAt(0).toLowerCase()}${method.slice(1)}(${literal(request)});
console.log(response);
`;
}

/** Returns a JSON text as a literal of TypeScript, with one member a line. */
function literal(json: string): string {
  // In a literal, this name would set the prototype.
  return JSON.stringify(JSON.parse(json), undefined, 2).replaceAll('"__proto__":', '["__proto__"]:');
}
