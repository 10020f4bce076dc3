import { acceptedContent, inputRequired, inputResponse, type RequestStateCodec } from "@modelcontextprotocol/server";
import type { PlatformErrorCode } from "@platform-rpc/client";
import { chooseVault, currentItem, deleteItem, listVaults, platformErrorOf } from "@platform-rpc/signed-in";
import * as z from "zod";
import { convertedOnce } from "./converted-once.js";
import { fields } from "./fields.js";
import { type KnownItem, knownChange, knownItem, whyUntitled } from "./known-item.js";
import { askConsent, askDecision, consent, decision } from "./questions.js";
import {
  type ConsentPage,
  type Deletion,
  refusal,
  resultOf,
  type ToolAnswer,
  type ToolCall,
  type ToolRequest,
} from "./tool-call.js";

/** What the person was asked about. It is signed, so that an answer holds only for that. */
export const question = z.object({
  kind: z.enum(["consent", "conflict"]),
  itemId: z.string(),
  vaultId: z.string(),
  /** The version that the assistant saw. */
  yours: z.number(),
  /** The version that the person was shown. */
  shown: z.number(),
});
export type Question = z.infer<typeof question>;

const input = z.object({ item: fields.item, vault: fields.vault, version: fields.version });

const withoutForms =
  "Nothing was deleted. Deleting needs the consent of the person, and this MCP client cannot ask for it: it does not support elicitation with forms. Use a client that does, or the program platform.";

export const deletionScopes: [string, ...string[]] = ["vault.items:read", "vault.items:delete"];

/** Creates the tool that deletes an item, with the consent of the person for exactly the version that they were shown. */
export const createDeleteItem = (codec: RequestStateCodec<Question>) => ({
  name: "delete_item",
  scopes: deletionScopes,
  config: {
    title: "Delete item",
    description:
      "Deletes an item after the person has consented in a form. If the item has changed since the version that you saw, the person decides what happens.",
    inputSchema: convertedOnce(input),
    outputSchema: convertedOnce(
      z.object({
        outcome: z.enum(["deleted", "already deleted", "not deleted"]),
        itemId: z.string(),
        vaultId: z.string(),
        title: z.string().optional().describe("Only while the vault is unlocked"),
        version: z.number().optional().describe("The current version"),
        decision: z.string().optional().describe("What the person decided"),
      }),
    ),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
  /** Called before anything else. */
  refuse: ({ elicitation, consentPage }: Pick<ToolRequest, "elicitation" | "consentPage">) =>
    elicitation.form || consentPage !== undefined ? undefined : refusal(withoutForms),

  async run({ item: itemId, vault, version }: z.infer<typeof input>, call: ToolCall): Promise<ToolAnswer> {
    const { clients, unlocked } = call;
    const { signal, inputResponses, requestState } = call.context.mcpReq;
    const vaultId = await chooseVault(clients, vault, { signal, unlocked });
    const place = { itemId, vaultId };

    async function ask(): Promise<ToolAnswer> {
      const current = await knownItem(await currentItem(clients, place, signal), place, unlocked);
      const shown = current.version;
      if (current.deleted) return outcomeOf("already deleted", current);
      const kind = shown === version ? "consent" : "conflict";
      const listed = (await listVaults(clients, signal)).find((one) => one.vaultId === vaultId);
      const about = {
        ...{ item: current, hint: whyUntitled(call, vaultId), retentionDays: listed?.retentionDays },
        vaultName: listed && unlocked?.has(vaultId) ? await unlocked.nameOf(listed) : undefined,
      };
      const form = kind === "consent" ? askConsent(about) : askDecision(version, about);
      const requestState = await codec.mint({ kind, ...place, yours: version, shown }, call.context);
      return inputRequired({ inputRequests: { [kind]: form }, requestState });
    }

    async function deleteVersion(baseVersion: number): Promise<ToolAnswer> {
      try {
        const item = await deleteItem(clients, { ...place, baseVersion }, signal);
        return outcomeOf("deleted", await knownChange(item, place, unlocked));
      } catch (thrown) {
        if (platformErrorOf(thrown)?.reason !== "VERSION_CONFLICT") throw thrown;
        return ask();
      }
    }

    if (!call.elicitation.form && call.consentPage !== undefined) {
      return deleteWithPage({ ...place, version }, call.consentPage, call);
    }
    const asked = question.safeParse(requestState()).data;
    const isForThis = asked?.itemId === itemId && asked.vaultId === vaultId && asked.yours === version;
    const answer = asked && isForThis ? inputResponse(inputResponses, asked.kind) : undefined;
    if (asked === undefined || answer?.kind !== "elicit") return ask();
    const decided = decisionOf(asked.kind, inputResponses, answer.action);
    if (decided === "delete") return deleteVersion(asked.shown);
    return resultOf({ outcome: "not deleted", ...place, decision: decided });
  },
});

function outcomeOf(outcome: "deleted" | "already deleted", { itemId, vaultId, version, title }: KnownItem): ToolAnswer {
  return resultOf({ outcome, itemId, vaultId, version, ...(title !== undefined && { title }) });
}

const pageKey = "page";

/** The codes of a call that may have taken effect. */
const uncertain: ReadonlySet<PlatformErrorCode> = new Set([
  "canceled",
  "unknown",
  "deadline_exceeded",
  "internal",
  "unavailable",
  "data_loss",
]);

/** Deletes an item if the person has consented on the page. Otherwise asks them to open it. */
async function deleteWithPage(
  deletion: Deletion,
  page: ConsentPage,
  { clients, elicitation, context: { mcpReq } }: ToolCall,
): Promise<ToolAnswer> {
  const { version, ...place } = deletion;
  const { signal } = mcpReq;
  const current = await currentItem(clients, place, signal);
  if (current.deleted) return resultOf({ outcome: "already deleted", ...place, version: current.version });
  if (current.version !== version) {
    return refusal(
      `Nothing was deleted: somebody has changed the item. Its current version is ${current.version}. Look at it again, and ask the person whether to delete that version.`,
    );
  }
  if (await page.take(deletion)) {
    try {
      // If it is repeated, it deletes nothing more: it is for one version.
      const item = await deleteItem(clients, { ...place, baseVersion: version }, signal);
      await page.end(deletion);
      return resultOf({ outcome: "deleted", ...place, version: item.version });
    } catch (thrown) {
      if (isRejection(thrown)) await page.giveBack(deletion);
      throw thrown;
    }
  }
  const answer = inputResponse(mcpReq.inputResponses, pageKey);
  if (answer.kind === "elicit" && answer.action !== "accept") {
    return resultOf({ outcome: "not deleted", ...place, decision: answer.action });
  }
  const url = page.link(deletion);
  if (elicitation.url && answer.kind !== "elicit") {
    const message = "The assistant asks to delete an item. The page shows which one. Decide there.";
    return inputRequired({ inputRequests: { [pageKey]: inputRequired.elicitUrl({ message, url }) } });
  }
  return refusal(
    `Nothing was deleted yet. Deleting needs the consent of the person. Ask them to open this page and decide within 5 minutes, then call the tool again with the same arguments: ${url}`,
  );
}

/** Returns whether a failed deletion certainly did not happen, such as for a rate limit. */
function isRejection(thrown: unknown): boolean {
  const error = platformErrorOf(thrown);
  return error !== undefined && !uncertain.has(error.code);
}

/** Returns what the person decided. Everything but an explicit consent leaves the item. */
function decisionOf(
  kind: Question["kind"],
  responses: Readonly<Record<string, unknown>> | undefined,
  action: "accept" | "decline" | "cancel",
): string {
  if (action !== "accept") return action;
  if (kind === "consent") return acceptedContent(responses, kind, consent)?.delete === true ? "delete" : "decline";
  const decided = acceptedContent(responses, kind, decision)?.decision ?? "cancel";
  return decided === "delete the current one" ? "delete" : decided;
}
