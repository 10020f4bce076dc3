import { inputRequired } from "@modelcontextprotocol/server";
import type { summaryOf } from "@platform-rpc/signed-in";
import * as z from "zod";

type Summary = ReturnType<typeof summaryOf>;

export const consent = z.object({ delete: z.boolean().default(false).meta({ title: "Delete this item" }) });

/** The answer to the question for a decision after a conflict. */
export const decision = z.object({
  decision: z.enum(["keep theirs", "delete the current one", "cancel"]).meta({ title: "What should happen?" }),
});

export function askConsent({ itemId, vaultId, kind, version, updatedAt }: Summary, retentionDays: number | undefined) {
  const message = [
    "The assistant asks to delete this item:",
    "",
    `Item: ${itemId}`,
    `Kind: ${kind}`,
    `Vault: ${vaultId}`,
    `Version: ${version}${updatedAt === undefined ? "" : `, updated ${updatedAt}`}`,
    "",
    undo(retentionDays),
  ].join("\n");
  return inputRequired.elicit({ message, requestedSchema: consent });
}

/** Shows the person which version the assistant saw, and which is current. */
export function askDecision(yours: number, { itemId, vaultId, kind, version, updatedAt }: Summary) {
  const message = [
    `Somebody changed item ${itemId} of vault ${vaultId} before it was deleted.`,
    "",
    `Yours: version ${yours}, which the assistant saw`,
    `Current: version ${version}, kind ${kind}${updatedAt === undefined ? "" : `, updated ${updatedAt}`}`,
  ].join("\n");
  return inputRequired.elicit({ message, requestedSchema: decision });
}

function undo(retentionDays: number | undefined): string {
  if (retentionDays === undefined) return "Whether it can be restored depends on its vault.";
  if (retentionDays === 0) return "It CANNOT be restored: this vault destroys deleted items at once.";
  return `It can be restored for ${retentionDays} ${retentionDays === 1 ? "day" : "days"}.`;
}
