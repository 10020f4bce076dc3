import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type ContentField, type FieldType, fieldTypes } from "@platform-rpc/items/item-content";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { typeOfName } from "@platform-rpc/items/old-names";
import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { ProgramError } from "@platform-rpc/signed-in";
import { printNotice, type Terminal } from "../terminal/terminal.js";

/** What a person wants a field to be: `name=value`, or `name:type=value`. */
export interface Assignment {
  readonly name: string;
  /** Undefined: the type that the field has, or that its name usually has. */
  readonly type: FieldType | undefined;
  /** The value, `-` for standard input, or `?` for a question. */
  readonly value: string;
}

/** Parses a word of the command line. @throws ProgramError if it has another form. */
export function parseAssignment(word: string): Assignment {
  const at = word.indexOf("=");
  if (at <= 0) throw new ProgramError(`"${at < 0 ? word : "="}" is not a field. Give it as name=value.`, "usage");
  const left = word.slice(0, at);
  const value = word.slice(at + 1);
  const type = fieldTypes.find((one) => left.endsWith(`:${one}`));
  const name = type === undefined ? left : left.slice(0, -type.length - 1);
  if (name === "") throw new ProgramError("A field needs a name. Give it as name=value.", "usage");
  return { name, type, value };
}

/** Returns the fields after the assignments. A field that exists keeps its place and what else it has. */
export async function assignFields(
  terminal: Terminal,
  before: readonly ContentField[],
  assignments: readonly Assignment[],
  { kind, json }: { readonly kind: string; readonly json: boolean },
): Promise<readonly ContentField[]> {
  if (assignments.filter(({ value }) => value === "-").length > 1) {
    throw new ProgramError("Only one field can be read from standard input.", "usage");
  }
  let fields = before;
  for (const assignment of assignments) {
    const { name } = assignment;
    const same = fields.filter((field) => field.name === name);
    if (same.length > 1) throw new ProgramError(`The item has ${same.length} fields with the name "${name}".`);
    const [existing] = same;
    const usual = fieldsOfKind(kind).find((field) => field.name === name)?.type ?? typeOfName(name);
    const type = assignment.type ?? existing?.type ?? usual;
    const { unknownType, ...rest } = existing ?? { name };
    const field: ContentField = {
      ...rest,
      ...(type === existing?.type && unknownType !== undefined && { unknownType }),
      type,
      ...(await readValue(terminal, { ...assignment, type }, json)),
    };
    fields = existing === undefined ? [...fields, field] : fields.map((one) => (one === existing ? field : one));
  }
  return fields;
}

async function readValue(
  terminal: Terminal,
  { name, type, value }: Assignment & { readonly type: FieldType },
  json: boolean,
): Promise<Pick<ContentField, "value" | "fileName">> {
  if (type === "file") return readFileField(value);
  const text = await readText(terminal, name, value);
  if (type === "totp" && text !== "" && parseOneTimeSecret(text) === undefined) {
    throw new ProgramError(`The value of "${name}" is not an otpauth:// URI, and not a secret in base32.`, "usage");
  }
  if ((type === "secret" || type === "totp") && value === text && text !== "") {
    const advice = `Next time, use ${name}=? to type it, or ${name}=- to read it from standard input.`;
    printNotice(
      terminal,
      `The value of "${name}" was on the command line, where other programs and the history of your shell can see it. ${advice}`,
      { json },
    );
  }
  return { value: text };
}

async function readText({ readInput, readHidden }: Terminal, name: string, value: string): Promise<string> {
  // A text that is piped ends with a line break that does not belong to it.
  if (value === "-") return (await readInput()).replace(/\r?\n$/, "");
  if (value !== "?") return value;
  if (readHidden === undefined) {
    throw new ProgramError(
      `There is no terminal to ask for "${name}". Use ${name}=- to read it from standard input.`,
      "usage",
    );
  }
  return readHidden(`${name}: `);
}

async function readFileField(path: string): Promise<Pick<ContentField, "value" | "fileName">> {
  return { value: (await readFile(path)).toString("base64url"), fileName: basename(path) };
}
