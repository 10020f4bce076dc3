import { readFileSync } from "node:fs";
import { relative } from "node:path";
import * as z from "zod";
import type { DemoFiles } from "../demo-data/demo-files.js";

const jsonBody = z.looseObject({ content: z.looseObject({ "application/json": z.looseObject({}) }) });
const apiDocument = z.looseObject({
  paths: z.record(z.string(), z.looseObject({ post: z.looseObject({ requestBody: jsonBody }) })),
});

/** The demo's requests, as the OpenAPI document of the demo server shows them. */
export interface DemoExamples {
  /** Returns a text that changes when the examples do. */
  read(): string;
  /** Returns the document with the commands of the demo, and with requests that succeed. */
  addTo(document: object, baseUrl: string): object;
}

/** Creates the examples from the files of the demo. A command reads secrets from these files, so the document contains none. */
export function createDemoExamples(files: DemoFiles): DemoExamples {
  const bodies = new Map([
    ["/platform.v1.VaultService/DeleteItem", files.deleteItem],
    ["/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization", files.exchange],
  ]);
  // Of the demo's requests, only this one contains no code.
  const readDeletion = () => readIfThere(files.deleteItem);
  return {
    read: readDeletion,
    addTo(document, baseUrl) {
      const api = apiDocument.parse(document);
      const paths = Object.entries(api.paths).map(([path, { post, ...rest }]) => {
        const file = bodies.get(path);
        if (file === undefined) return [path, { post, ...rest }];
        const source = curlCommand(baseUrl + path, files.accessToken, file);
        const samples = [{ lang: "Shell", label: "curl, with the files of the demo", source }];
        const body = file === files.deleteItem ? withExample(post.requestBody, readDeletion()) : post.requestBody;
        return [path, { ...rest, post: { ...post, requestBody: body, "x-codeSamples": samples } }];
      });
      return { ...api, paths: Object.fromEntries(paths) };
    },
  };
}

function withExample(body: z.infer<typeof jsonBody>, example: string): object {
  if (example === "") return body;
  const { "application/json": json, ...others } = body.content;
  return { ...body, content: { ...others, "application/json": { ...json, example: JSON.parse(example) } } };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The paths are relative to the folder in which the server was started. */
function curlCommand(url: string, token: string, body: string): string {
  return [
    `curl -sS -X POST '${url}'`,
    `  -H "Authorization: Bearer $(cat '${relative("", token)}')"`,
    "  -H 'Content-Type: application/json' -H 'Connect-Protocol-Version: 1'",
    `  -d '@${relative("", body)}'`,
  ].join(" \\\n");
}
