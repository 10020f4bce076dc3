import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Broker, BrokerRefusal } from "../broker/broker.js";
import { convertedOnce } from "./converted-once.js";
import { refusal, resultOf, type ToolAnswer, type ToolCall } from "./tool-call.js";

const input = z.object({
  url: z.string().max(8_000).describe("The URL, with https, such as https://api.github.com/user"),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
    .default({})
    .describe("Without a secret: the broker adds it"),
  body: z.string().max(1_000_000).optional(),
  item: z
    .string()
    .max(1_000)
    .regex(/^\P{Cc}+$/u)
    .optional()
    .describe("The id or the title of the item. Needed if several items are for this website"),
});

/** What the broker adds, or the agent must not choose. */
const ownHeaders = ["authorization", "cookie", "dpop", "host", "platform-item"];

export const httpRequest = {
  name: "http_request",
  scopes: ["vault.items:use"] satisfies [string, ...string[]],
  config: {
    title: "HTTP request with an item",
    description:
      "Sends a request to the website of an item. The broker on this computer adds the secret of the item, which you never see: do not ask for it, and leave out the header Authorization. list_items says where and how each item is used. Each request that is sent counts towards what the person allows. Redirects are not followed.",
    inputSchema: convertedOnce(input),
    outputSchema: convertedOnce(
      z.object({
        status: z.number(),
        headers: z.record(z.string(), z.string()),
        body: z.string().optional(),
        bodyBase64: z.string().optional().describe("The body if it is not text in UTF-8"),
        truncated: z.boolean().optional().describe("The body is longer than what you get"),
      }),
    ),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },

  async run(
    { url, method, headers, body, item }: z.infer<typeof input>,
    { context: { mcpReq }, elicitation }: Pick<ToolCall, "context" | "elicitation">,
    broker: Broker,
  ): Promise<ToolAnswer> {
    const target = URL.parse(url);
    if (target === null || !/^https?:$/.test(target.protocol) || target.username + target.password !== "") {
      return refusal("Nothing was sent. The URL must begin with https:// and have no user name and no password.");
    }
    if (body !== undefined && (method === "GET" || method === "HEAD")) {
      return refusal(`Nothing was sent. A request with the method ${method} has no body.`);
    }
    const sent = new Headers(headers);
    for (const name of ownHeaders) sent.delete(name);
    // In UTF-8: a header has bytes.
    if (item !== undefined) sent.set("platform-item", Buffer.from(item).toString("latin1"));
    const answer = await broker.send({ url: target, method, headers: sent, body }, mcpReq.signal);
    if (answer.refusal !== undefined) {
      const decided = inputResponse(mcpReq.inputResponses, pageKey);
      const isNew = decided.kind !== "elicit";
      if (isNew && elicitation.url && asksPerson(answer.refusal)) return askOnPage(answer.refusal.page);
      return refused(answer.refusal);
    }
    const { status, truncated } = answer;
    return resultOf({
      ...{ status, headers: Object.fromEntries(answer.headers), ...bodyOf(answer.body) },
      ...(truncated && { truncated }),
    });
  },
};

const pageKey = "page";

/** Returns whether the person wants to be asked about each use, and where. */
function asksPerson(refusal: BrokerRefusal): refusal is BrokerRefusal & { readonly page: string } {
  return refusal.reason === "USE_NOT_CONFIRMED" && refusal.page !== undefined;
}

function askOnPage(url: string): ToolAnswer {
  const message = "The assistant asks to use an item. The page shows which one, and where. Decide there.";
  return inputRequired({ inputRequests: { [pageKey]: inputRequired.elicitUrl({ message, url }) } });
}

function refused({ message, reason, requestId, page }: BrokerRefusal): ToolAnswer {
  const where = page === undefined || message.includes(page) ? "" : `\nThe person decides at ${page}`;
  return refusal(`${message}${where}\nReason: ${reason}\nRequest id: ${requestId}`);
}

function bodyOf(bytes: Uint8Array<ArrayBuffer>) {
  if (bytes.byteLength === 0) return {};
  try {
    // Of a body that was cut, the last character may be incomplete.
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }) };
  } catch {
    return { bodyBase64: Buffer.from(bytes).toString("base64") };
  }
}
