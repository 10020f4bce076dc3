import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { printable } from "@platform-rpc/client";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { ProgramError } from "@platform-rpc/signed-in";
import * as z from "zod";
import { getField } from "../items/field-names.js";
import { findContent, isSecret, usableValue } from "../items/open-items.js";
import { clearClipboard, copySequence, findClipboard, readClipboard, writeClipboard } from "../terminal/clipboard.js";
import { asJson, printLine, type Terminal } from "../terminal/terminal.js";
import { findVault, openAccess } from "../vaults/find-vault.js";
import { notVerified, quoted, type VaultOptions } from "./item-command.js";

/** After how long a copied value is removed from the clipboard, in milliseconds. */
const clearAfterMs = 30_000;

/** Copies a field to the clipboard. Default: the password, otherwise the first secret. */
export async function copyItem(
  terminal: Terminal,
  wanted: string,
  name: string | undefined,
  { vault, json = false, older }: VaultOptions,
): Promise<void> {
  const access = await openAccess(terminal, ["vault.items:read"], { json });
  const opened = await findContent(access, { vaultId: await findVault(access, vault), wanted, older });
  if (!opened.isVerified) access.notify(notVerified);
  const field = getField(opened, name ?? mainField(opened.content));
  if (field.type === "file")
    throw new ProgramError(`"${field.name}" is a file. Write it: platform items get … --field ${field.name} > file`);
  const value = Buffer.from(await usableValue(field)).toString();
  if (value === "") throw new ProgramError(`The field "${field.name}" of ${quoted(opened.content.title)} is empty.`);
  const clears = await copy(terminal, value);
  const what = `${printable(field.name)} of ${quoted(opened.content.title)}`;
  const { itemId, vaultId } = opened.item;
  printLine(
    terminal,
    json
      ? asJson("items copy", { itemId, vaultId, field: field.name, isCleared: clears !== "nothing" })
      : `Copied the ${what}. ${inWords[clears]}`,
  );
}

/** Returns the name of the field that people copy most. */
function mainField({ fields }: ItemContent): string {
  const isFilled = ({ value }: ContentField) => value !== "";
  const password = fields.find((field) => field.name === "password" && isFilled(field));
  return (password ?? fields.find((field) => isSecret(field) && isFilled(field)))?.name ?? "password";
}

/** What removes a copied value. A terminal is not asked what its clipboard contains: most do not say. */
type Clears = "program" | "terminal" | "nothing";

const inWords: Readonly<Record<Clears, string>> = {
  program: `The clipboard is cleared in ${clearAfterMs / 1000} s.`,
  terminal: `In ${clearAfterMs / 1000} s, the terminal is asked to clear the clipboard, whatever it contains then.`,
  nothing: "It stays there: clear the clipboard yourself.",
};

/** Copies a value. Resolves with what removes it later. */
async function copy(terminal: Terminal, value: string): Promise<Clears> {
  const { environment } = terminal;
  const clipboard = await findClipboard(environment);
  if (clipboard !== undefined) {
    await writeClipboard(clipboard, value, environment);
    const key = randomBytes(32);
    return clearLater(terminal, "program", { key: key.toString("base64url"), hash: hashOf(key, value) });
  }
  if (!terminal.isOutTerminal) {
    throw new ProgramError(
      "There is no clipboard: install wl-copy, xclip or xsel, or run the command in a terminal that supports OSC 52.",
    );
  }
  terminal.outBytes(Buffer.from(copySequence(value)));
  return clearLater(terminal, "terminal", {});
}

const order = z.object({ key: z.string(), hash: z.string() }).or(z.strictObject({}));

/**
 * Starts a process that clears the clipboard later: a program does, or the terminal, which the process keeps open. It gets a keyed hash of
 * the value on its standard input, never the value.
 */
async function clearLater<By extends Clears>(
  { main, environment: env }: Terminal,
  by: By,
  ordered: z.infer<typeof order>,
): Promise<By | "nothing"> {
  try {
    const child = spawn(process.execPath, [main, "clear-clipboard"], {
      env,
      detached: true,
      stdio: ["pipe", by === "terminal" ? "inherit" : "ignore", "ignore"],
    });
    child.unref();
    child.stdin?.end(JSON.stringify(ordered));
    if (child.stdin) await once(child.stdin, "close");
    return by;
  } catch {
    return "nothing";
  }
}

/** For the process that `items copy` starts: after 30 s, clears the clipboard if it still has the value, or that of the terminal. */
export async function clearClipboardLater(terminal: Terminal): Promise<void> {
  const { environment } = terminal;
  const ordered = order.parse(JSON.parse(Buffer.from(await terminal.readInput()).toString()));
  await terminal.sleep(clearAfterMs);
  if (!("key" in ordered)) return terminal.outBytes(Buffer.from(copySequence("")));
  const { key, hash } = ordered;
  const clipboard = await findClipboard(environment);
  if (clipboard === undefined) return;
  // `Get-Clipboard` and others may add a line break.
  const content = await readClipboard(clipboard, environment);
  const texts = [content, content.replace(/\r?\n$/, "")];
  if (texts.some((text) => hashOf(Buffer.from(key, "base64url"), text) === hash)) {
    await clearClipboard(clipboard, environment);
  }
}

function hashOf(key: Uint8Array, value: string): string {
  return createHmac("sha256", key).update(value).digest("base64url");
}
