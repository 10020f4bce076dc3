import { chooseVault, itemsOf, summaryOf } from "@platform-rpc/signed-in";
import * as z from "zod";
import { convertedOnce } from "./converted-once.js";
import { fields, itemSummary } from "./fields.js";
import { resultOf, type ToolAnswer, type ToolCall } from "./tool-call.js";

const input = z.object({
  vault: fields.vault,
  deleted: z.boolean().default(false).describe("List the deleted items instead, which restore_item can restore"),
  limit: z.int().min(1).max(500).default(100).describe("The maximum number of items"),
  cursor: z.int().min(0).max(4_294_967_295).default(0).describe("nextCursor of the previous result"),
});

export const listItems = {
  name: "list_items",
  scopes: ["vault.items:read"] satisfies [string, ...string[]],
  config: {
    title: "List items",
    description:
      "Lists the items of a vault: id, kind, version, and when it was updated. Titles and contents are encrypted: neither this tool nor the server can read them.",
    inputSchema: convertedOnce(input),
    outputSchema: convertedOnce(
      z.object({
        vaultId: z.string(),
        items: z.array(itemSummary),
        nextCursor: z.number().optional().describe("Present if there are more items"),
      }),
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async run({ vault, deleted, limit, cursor }: z.infer<typeof input>, call: ToolCall): Promise<ToolAnswer> {
    const { clients } = call;
    const { signal } = call.context.mcpReq;
    const vaultId = await chooseVault(clients, vault, signal);
    const items = new Map<string, ReturnType<typeof summaryOf>>();
    let last = cursor;
    for await (const { sequence, item } of itemsOf(clients, { vaultId, after: cursor }, signal)) {
      if (items.size === limit) return resultOf({ vaultId, items: [...items.values()], nextCursor: last });
      last = sequence;
      if (item.deleted === deleted) items.set(item.itemId, summaryOf(item));
      else items.delete(item.itemId);
    }
    return resultOf({ vaultId, items: [...items.values()] });
  },
};
