import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type ContentField, type FieldType, fieldTypes } from "@platform-rpc/items/item-content";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { readMonth } from "@platform-rpc/items/month";
import { typeOfName } from "@platform-rpc/items/old-names";
import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { ProgramError } from "@platform-rpc/signed-in";
import { decodeText } from "../terminal/decode-text.js";
import { printNotice, type Terminal } from "../terminal/terminal.js";
import { findField, newFieldName, nextSpecifier } from "./field-names.js";

/** What a person wants a field to be: `name=value`, or `name:type=value`. */
export interface Assignment {
  /** The name, the label, or the name and the place. */
  readonly name: string;
  /** Undefined: the type that the field has, or that its name usually has. */
  readonly type: FieldType | undefined;
  /** Where the value comes from: for `name=-` standard input, for `name=?` a question. */
  readonly from: "argument" | "input" | "question" | "generator";
  /** The value, unless it is read later. */
  readonly value: string;
}

const sources: ReadonlyMap<string, Assignment["from"]> = new Map([
  ["-", "input"],
  ["?", "question"],
]);

/** Parses the words of a command line. @throws ProgramError if one has another form. It may be a secret, so the message does not contain it. */
export function parseAssignments(words: readonly string[]): readonly Assignment[] {
  return words.map((word, index) => {
    // Node writes it in the place of bytes that are not UTF-8.
    if (word.includes("\ufffd")) {
      throw new ProgramError(`Field ${index + 1} of the command is not UTF-8. Use name=- for the value.`, "usage");
    }
    const at = word.indexOf("=");
    if (at < 0) throw new ProgramError(`Field ${index + 1} of the command is not name=value.`, "usage");
    const left = word.slice(0, at);
    const value = word.slice(at + 1);
    const type = fieldTypes.find((one) => left.endsWith(`:${one}`));
    const name = type === undefined ? left : left.slice(0, -type.length - 1);
    if (name === "") throw new ProgramError("A field needs a name. Give it as name=value.", "usage");
    return { name, type, from: sources.get(value) ?? "argument", value };
  });
}

interface AssignmentOptions {
  readonly kind: string;
  readonly json: boolean;
  /** Whether an empty text or file is stored, also if that can be a mistake. */
  readonly allowEmpty?: boolean | undefined;
  readonly removed?: readonly ContentField[];
}

/**
 * Returns the fields after the assignments. A field that exists keeps its place and what else it has.
 *
 * @throws ProgramError if a field would be changed twice, or a value cannot be read
 */
export async function assignFields(
  terminal: Terminal,
  before: readonly ContentField[],
  assignments: readonly Assignment[],
  { kind, removed = [], ...options }: AssignmentOptions,
): Promise<readonly ContentField[]> {
  if (assignments.filter(({ from }) => from === "input").length > 1) {
    throw new ProgramError("Only one field can be read from standard input.", "usage");
  }
  let fields = before;
  const changed = new Set(removed);
  for (const assignment of assignments) {
    const existing = findField(fields, assignment.name);
    const name = existing?.name ?? newFieldName(fields, assignment.name);
    if (existing !== undefined && changed.has(existing)) {
      throw new ProgramError(
        `The command changes the field "${name}" twice. To add another field with this name, give it as ${nextSpecifier(fields, name)}=…`,
        "usage",
      );
    }
    const usual = fieldsOfKind(kind).find((field) => field.name === name)?.type ?? typeOfName(name);
    const type = assignment.type ?? existing?.type ?? usual;
    const { unknownType, ...rest } = existing ?? { name };
    const field: ContentField = {
      ...rest,
      ...(type === existing?.type && unknownType !== undefined && { unknownType }),
      type,
      ...(await readValue(terminal, { ...assignment, type }, options)),
    };
    changed.add(field);
    fields = existing === undefined ? [...fields, field] : fields.map((one) => (one === existing ? field : one));
  }
  // Until here, each field has its place.
  return fields.filter((field) => !removed.includes(field));
}

type TypedAssignment = Assignment & { readonly type: FieldType };
type ReadOptions = Pick<AssignmentOptions, "json" | "allowEmpty">;

async function readValue(
  terminal: Terminal,
  assignment: TypedAssignment,
  options: ReadOptions,
): Promise<Pick<ContentField, "value" | "fileName">> {
  const { name, type, from } = assignment;
  if (type === "file") return readFileField(terminal, assignment, options);
  const text = await readText(terminal, assignment);
  if (from === "input" || from === "question") refuseEmpty(name, text, options);
  const value = text === "" ? text : storedText(type, text);
  if (value === undefined) {
    const form = type === "month" ? "a month, such as 2031-06 or 06/31" : "an otpauth:// URI, or a secret in base32";
    throw new ProgramError(`The value of "${name}" is not ${form}.`, "usage");
  }
  if ((type === "secret" || type === "totp") && from === "argument" && text !== "") {
    const advice = `Next time, use ${name}=? to type it, or ${name}=- to read it from standard input.`;
    printNotice(
      terminal,
      `The value of "${name}" was on the command line, where other programs and the history of your shell can see it. ${advice}`,
      options,
    );
  }
  return { value };
}

/** Returns what is stored for a text in a field of a type. Undefined: the type has another form. */
function storedText(type: FieldType, text: string): string | undefined {
  if (type === "month") return readMonth(text);
  return type === "totp" && parseOneTimeSecret(text) === undefined ? undefined : text;
}

async function readText(
  { readInput, readHidden }: Terminal,
  { name, type, from, value }: TypedAssignment,
): Promise<string> {
  if (from === "input") {
    const text = decodeText(await readInput(), `The value of "${name}"`);
    return type === "note" || isArmoured(text) ? text : text.replace(/\r?\n$/, "");
  }
  if (from !== "question") return value;
  if (readHidden === undefined) {
    throw new ProgramError(
      `There is no terminal to ask for "${name}". Use ${name}=- to read it from standard input.`,
      "usage",
    );
  }
  return readHidden(`${name}: `);
}

/** Returns whether a text is a key or a certificate. The line break at its end belongs to it: OpenSSH does not read a key without it. */
function isArmoured(text: string): boolean {
  return /^(?:-{4,5} ?BEGIN |PuTTY-User-Key-File-)/m.test(text);
}

async function readFileField(
  { readInput }: Terminal,
  { name, from, value: path }: Assignment,
  options: ReadOptions,
): Promise<Pick<ContentField, "value" | "fileName">> {
  if (from !== "argument" && from !== "input") {
    throw new ProgramError(`"${name}" is a file. Give its path, or ${name}=- for standard input.`, "usage");
  }
  const bytes = from === "input" ? await readInput() : await readFile(path);
  const value = Buffer.from(bytes).toString("base64url");
  refuseEmpty(name, value, options);
  return { value, ...(from === "argument" && { fileName: basename(path) }) };
}

/** The program before a pipe may have failed. */
function refuseEmpty(name: string, value: string, { allowEmpty = false }: ReadOptions): void {
  if (value !== "" || allowEmpty) return;
  throw new ProgramError(
    `The value for "${name}" is empty, and nothing has changed. If it is right, repeat with --allow-empty.`,
    "usage",
  );
}
