import { headFindingInWords } from "@platform-rpc/items/vault/vault-head";
import { chooseVault, type ItemChange, itemsOf, prepareHeadCheck } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import * as z from "zod";
import { convertedOnce } from "./converted-once.js";
import { fields, itemSummary } from "./fields.js";
import { knownItem, whyUntitled } from "./known-item.js";
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
      "Lists the items of a vault: id, kind, version, when it was updated, and while the vault is unlocked title, tags, websites and how an agent can use it. Never contains a secret.",
    inputSchema: convertedOnce(input),
    outputSchema: convertedOnce(
      z.object({
        vaultId: z.string(),
        items: z.array(itemSummary),
        nextCursor: z.number().optional().describe("Present if there are more items"),
        notice: z.string().optional().describe("Why the items have no titles, or why not to rely on the list"),
      }),
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async run({ vault, deleted, limit, cursor }: z.infer<typeof input>, call: ToolCall): Promise<ToolAnswer> {
    const { clients, unlocked } = call;
    const { signal } = call.context.mcpReq;
    const vaultId = await chooseVault(clients, vault, { signal, unlocked });
    // A login of this program may not write.
    const check = await prepareHeadCheck(clients, { vaultId, unlocked, stores: false }, signal);
    const items = new Map<string, Item>();
    const read: ItemChange[] = [];
    for await (const change of itemsOf(clients, { vaultId, after: cursor }, signal)) {
      if (items.size === limit) return result(read.at(-1)?.sequence);
      read.push(change);
      const { item } = change;
      if (item.deleted === deleted) items.set(item.itemId, item);
      else items.delete(item.itemId);
    }
    // Only a complete list can be compared.
    const finding = cursor === 0 ? await check(read) : undefined;
    return result(undefined, finding && headFindingInWords(finding));

    async function result(nextCursor?: number, doubt?: string): Promise<ToolAnswer> {
      const listed = [...items.values()].map((item) => knownItem(item, { vaultId, itemId: item.itemId }, unlocked));
      const notice = whyUntitled(call, vaultId) ?? doubt;
      return resultOf({
        vaultId,
        items: await Promise.all(listed),
        ...(nextCursor && { nextCursor }),
        ...(notice && { notice }),
      });
    }
  },
};
