import { ImportError } from "./format.js";

/** An object of a file. Nothing is known about its members. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object, and an empty one for anything else. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns a text, a number or a boolean as text, and an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Returns any value as text, a list or an object as its JSON. */
export function anyTextOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return textOf(value);
  return Object.keys(value).length > 0 ? JSON.stringify(value) : "";
}

/** Parses the text of a file. @throws ImportError with the line in which it is broken */
export function parseJson(text: string): Json {
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    throw new ImportError(
      `The file is not complete JSON${brokenAt(text, error)}. Export it again, and choose the new file.`,
    );
  }
}

/** Where a text is broken. Engines say it in different ways: a line, a position, or the text around it. */
function brokenAt(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const line = /line (\d+)/.exec(message)?.[1];
  const around = /"([\s\S]*)" is not valid JSON/.exec(message)?.[1]?.replace(/^\.{3}|\.{3}$/g, "");
  const found = around === undefined ? -1 : text.indexOf(around);
  const token = /token '([\s\S]*)', /.exec(message)?.[1] ?? "";
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? (found < 0 ? -1 : text.indexOf(token, found)));
  if (line !== undefined) return `: line ${line} is broken`;
  if (position >= 0) return `: line ${text.slice(0, position).split("\n").length} is broken`;
  return message.includes("end of JSON") || message.includes("EOF") ? ": its end is missing" : "";
}

/** Returns the words in a name of a member: `passportNumber` is "Passport number". */
export function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z0-9])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
