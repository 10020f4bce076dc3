import { inputRequired } from "@modelcontextprotocol/server";
import { printable } from "@platform-rpc/client";
import { nameOfKind } from "@platform-rpc/items/kinds";
import * as z from "zod";
import type { KnownItem } from "./known-item.js";

export const consent = z.object({ delete: z.boolean().default(false).meta({ title: "Delete this item" }) });

/** The answer to the question for a decision after a conflict. */
export const decision = z.object({
  decision: z.enum(["keep theirs", "delete the current one", "cancel"]).meta({ title: "What should happen?" }),
});

/** What a person is asked about. */
interface Asked {
  readonly item: KnownItem;
  /** Undefined while it is locked. */
  readonly vaultName: string | undefined;
  /** Undefined if it is not known. */
  readonly retentionDays: number | undefined;
  /** Why the item has no title. */
  readonly hint: string | undefined;
}

export function askConsent(asked: Asked) {
  const { item, retentionDays } = asked;
  const { itemId, kind, version, title = item.notCurrent } = item;
  const message = [
    "The assistant asks to delete this item:",
    "",
    ...(title === undefined ? [] : [`Title: ${titleOf(item)}`]),
    `Item: ${itemId}`,
    `Kind: ${printable(nameOfKind(kind))}`,
    `Vault: ${vaultOf(asked)}`,
    `Version: ${version}${updatedAt(item)}`,
    "",
    ...hintOf(asked),
    undo(retentionDays),
  ].join("\n");
  return inputRequired.elicit({ message, requestedSchema: consent });
}

/** Shows the person which version the assistant saw, and which is current. */
export function askDecision(yours: number, asked: Asked) {
  const { item } = asked;
  const { itemId, kind, version, title = item.notCurrent } = item;
  const name = title === undefined ? itemId : `${titleOf(item)} (${itemId})`;
  const message = [
    `Somebody changed item ${name} of vault ${vaultOf(asked)} before it was deleted.`,
    "",
    ...hintOf(asked),
    `Yours: version ${yours}, which the assistant saw`,
    `Current: version ${version}, kind ${printable(nameOfKind(kind))}${updatedAt(item)}`,
  ].join("\n");
  return inputRequired.elicit({ message, requestedSchema: decision });
}

function titleOf({ title = "", isVerified, notCurrent }: KnownItem): string {
  if (notCurrent !== undefined) return quoted(notCurrent);
  const mark = isVerified ? "" : " (not verified: neither you nor a program that you have certified has signed it)";
  return `${quoted(title)}${mark}`;
}

function vaultOf({ item, vaultName }: Asked): string {
  return vaultName === undefined ? item.vaultId : quoted(vaultName);
}

/** The longest text that a question quotes: nothing else is moved out of view. */
const longest = 200;

/** Returns a text as one line in quotation marks: whoever has written it cannot add lines to the question. */
function quoted(text: string): string {
  const characters = [...text];
  const end = characters.length > longest ? "…" : "";
  return printable(JSON.stringify(characters.slice(0, longest).join("") + end));
}

function updatedAt({ updatedAt }: KnownItem): string {
  return updatedAt === undefined ? "" : `, updated ${updatedAt}`;
}

function hintOf({ hint }: Asked): readonly string[] {
  return hint === undefined ? [] : [hint, ""];
}

function undo(retentionDays: number | undefined): string {
  if (retentionDays === undefined) return "Whether it can be restored depends on its vault.";
  if (retentionDays === 0) return "It CANNOT be restored: this vault destroys deleted items at once.";
  return `It can be restored for ${retentionDays} ${retentionDays === 1 ? "day" : "days"}.`;
}
