import { type Masking, prepareMasking } from "./mask-secrets.js";

/** The shortest part of an encoded secret that is searched: shorter ones are in any other data, too. */
const shortestPart = 8;

/**
 * Returns the forms in which a secret can be in a response: as it is, in base64 and base64url, also inside of other encoded text, encoded
 * for a URL or a form, and escaped in JSON or HTML.
 */
export function formsOf(secret: string): readonly string[] {
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const lower = [url, form].map((text) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()));
  const strict = form.replaceAll("+", "%20");
  const hex = Buffer.from(secret).toString("hex");
  const parts = encodedParts(secret);
  return [
    ...new Set([
      ...[secret, url, form, ...lower, strict, ...jsonForms(secret), ...htmlForms(secret)],
      ...[...parts, ...parts.flatMap(jsonForms)],
      ...(hex.length < shortestPart ? [] : [hex, hex.toUpperCase()]),
    ]),
  ];
}

/** What encoders of JSON escape besides what they must: nothing, all but ASCII, what is special in HTML (Go), or that and more (.NET). */
const escapedInJson = [/[^\s\S]/g, /[^\x20-\x7e]/g, /[&<>\u2028\u2029]/g, /[^\x20-\x7e]|[&<>'+`]/g];

function jsonForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return escapedInJson.flatMap((escaped) => {
    const lower = json.replace(escaped, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const upper = lower.replace(/\\u[\da-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
    return [lower, upper].flatMap((form) => [form, form.replaceAll("/", "\\/"), form.replaceAll('\\"', "\\u0022")]);
  });
}

function htmlForms(text: string): readonly string[] {
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = ['"', "&quot;", "&#34;", "&#x22;"].map((quote) => html.replaceAll('"', quote));
  const apostrophes = ["'", "&#39;", "&#x27;", "&#039;", "&apos;"];
  return quoted.flatMap((form) => apostrophes.map((apostrophe) => form.replaceAll("'", apostrophe)));
}

/** Three bytes become four characters, so a secret inside of a longer text has one of three forms. Their ends depend on what is around. */
function encodedParts(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((before * 8) / 6), end);
  });
  return parts
    .filter(({ length }) => length >= shortestPart)
    .flatMap((part) => [part, part.replaceAll("-", "+").replaceAll("_", "/")]);
}

/** Masks secrets in a response. */
export interface AnswerMasking {
  /** Masks the value of a header. */
  header(value: string): string;
  /** Returns whether the name of a header contains a secret. node:http has names in lower case. */
  isInName(name: string): boolean;
  body(): Masking;
}

export function createAnswerMasking(secrets: readonly string[]): AnswerMasking {
  const forms = [...new Set(secrets.flatMap(formsOf))];
  const create = prepareMasking(forms);
  const createForNames = prepareMasking(forms.map((form) => form.toLowerCase()));
  return {
    isInName: (name) => Buffer.from(createForNames().end(Buffer.from(name))).toString() !== name,
    // node:http reads the bytes of headers as latin1.
    header: (value) => Buffer.from(create().end(Buffer.from(value, "latin1"))).toString("latin1"),
    body: create,
  };
}

/** Creates a function that returns what masks the secrets of an item. It keeps the last one, which takes long to create, with the item. */
export function createMaskings<Item extends object>() {
  const known = new WeakMap<Item, { readonly of: string; readonly masking: AnswerMasking }>();
  return (item: Item, secrets: readonly string[]): AnswerMasking => {
    const of = JSON.stringify(secrets);
    const last = known.get(item);
    if (last?.of === of) return last.masking;
    const masking = createAnswerMasking(secrets);
    known.set(item, { of, masking });
    return masking;
  };
}
