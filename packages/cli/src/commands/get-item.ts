import { printable } from "@platform-rpc/client";
import type { ContentField } from "@platform-rpc/items/item-content";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { summaryOf } from "@platform-rpc/signed-in";
import { getField, specifierOf } from "../items/field-names.js";
import { findContent, isSecret, usableValue } from "../items/open-items.js";
import { formatReference } from "../running/reference.js";
import { type Cell, printStyled, timeIn } from "../terminal/styled.js";
import { asJson, printLine, printValue, type Terminal } from "../terminal/terminal.js";
import { findVault, openAccess } from "../vaults/find-vault.js";
import { describe, notVerified, type VaultOptions } from "./item-command.js";

export async function getItem(
  terminal: Terminal,
  wanted: string,
  {
    vault,
    json = false,
    field: name,
    reveal = false,
    newline = true,
    older,
  }: VaultOptions & { readonly field?: string; readonly reveal?: boolean; readonly newline?: boolean },
): Promise<void> {
  const access = await openAccess(terminal, ["vault.items:read"], { json });
  const vaultId = await findVault(access, vault);
  const opened = await findContent(access, { vaultId, wanted, older });
  if (!opened.isVerified) access.notify(notVerified);
  if (name !== undefined) return printField(terminal, opened, name, { json, newline });
  const shown = reveal || (json && !terminal.isOutTerminal);
  if (json) {
    const { fields } = opened.content;
    const place = { vault: vaultId, item: opened.item.itemId };
    const values = fields.map((field) => {
      const { name, type, fileName, value } = field;
      const reference = formatReference({ ...place, field: specifierOf(fields, field) });
      return { name, type, fileName, value: isHidden(field) && !shown ? masked : value, reference };
    });
    return printLine(terminal, asJson("items get", { ...describe(opened), fields: values }));
  }
  const { item, content } = opened;
  const { updatedAt = "" } = summaryOf(item);
  const { title, tags = [], fields } = content;
  printStyled(terminal, { text: title === "" ? "(no title)" : printable(title), style: "bold" });
  const lines: (readonly [string, Cell])[] = [
    ...(await Promise.all(
      fields
        .filter(({ value }) => value !== "")
        .map(async (field) => [labelIn(fields, field), await shownValue(field, shown)] as const),
    )),
    ...(tags.length > 0 ? [["Tags", tags.join(", ")] as const] : []),
    ["Kind", nameOfKind(item.kind)],
    ["Updated", `${timeIn(terminal, updatedAt)}, version ${item.version}`],
    ["Id", item.itemId],
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  for (const [label, value] of lines) {
    const indented = indent(value, width + 2);
    printStyled(terminal, { text: label.padEnd(width + 2), style: "dim" }, indented);
  }
}

async function printField(
  terminal: Terminal,
  opened: Parameters<typeof getField>[0],
  name: string,
  { json, newline }: { readonly json: boolean; readonly newline: boolean },
): Promise<void> {
  const field = getField(opened, name);
  const value = await usableValue(field);
  const text = Buffer.from(value).toString();
  if (json)
    return printLine(
      terminal,
      asJson("items get", { name: field.name, type: field.type, value: field.type === "file" ? field.value : text }),
    );
  const isWhole = field.type === "file" || text.endsWith("\n") || !newline;
  printValue(terminal, isWhole ? value : Buffer.from(`${text}\n`));
}

/** Returns the label of a field, with its place if several fields have the name. */
function labelIn(fields: readonly ContentField[], field: ContentField): string {
  return printable(labelOf(field.name) + specifierOf(fields, field).slice(field.name.length));
}

const masked = "••••••••";

function isHidden(field: ContentField): boolean {
  return isSecret(field) || field.type === "totp";
}

async function shownValue(field: ContentField, shown: boolean): Promise<Cell> {
  const { type, value, fileName } = field;
  if (type === "file")
    return `${fileName ?? "file"} (${Buffer.from(value, "base64url").byteLength.toLocaleString("en")} bytes)`;
  if (type === "totp" && parseOneTimeSecret(value) !== undefined) {
    return Buffer.from(await usableValue(field)).toString();
  }
  return isHidden(field) && !shown ? { text: masked, style: "dim" } : value;
}

function indent(cell: Cell, columns: number): Cell {
  const indented = (text: string) => text.trimEnd().replaceAll("\n", `\n${" ".repeat(columns)}`);
  return typeof cell === "string" ? indented(cell) : { ...cell, text: indented(cell.text) };
}
