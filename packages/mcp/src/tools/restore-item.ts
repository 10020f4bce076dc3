import { chooseVault, restoreItem as restore } from "@platform-rpc/signed-in";
import * as z from "zod";
import { convertedOnce } from "./converted-once.js";
import { fields, itemSummary } from "./fields.js";
import { knownChange } from "./known-item.js";
import { resultOf, type ToolAnswer, type ToolCall } from "./tool-call.js";

const input = z.object({ item: fields.item, vault: fields.vault, version: fields.version });

export const restoreItem = {
  name: "restore_item",
  scopes: ["vault.items:read", "vault.items:restore"] satisfies [string, ...string[]],
  config: {
    title: "Restore item",
    description:
      "Restores a deleted item while its vault keeps it. Fails if the item has changed since the version that you saw.",
    inputSchema: convertedOnce(input),
    outputSchema: convertedOnce(itemSummary),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },

  async run({ item: itemId, vault, version }: z.infer<typeof input>, call: ToolCall): Promise<ToolAnswer> {
    const { clients, unlocked } = call;
    const { signal } = call.context.mcpReq;
    const vaultId = await chooseVault(clients, vault, { signal, unlocked });
    const place = { vaultId, itemId };
    const restored = await restore(clients, { ...place, baseVersion: version }, signal);
    return resultOf(await knownChange(restored, place, unlocked));
  },
};
