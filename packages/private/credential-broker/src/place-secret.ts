import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { type ItemUse, secretOf } from "@platform-rpc/items/item-use";
import type { Headers } from "./headers.js";
import { refusal } from "./refusal.js";

export interface AgentRequest {
  readonly headers: Headers;
  /** With its query. */
  readonly path: string;
  readonly body: Buffer;
}

export interface SecretItem {
  readonly kind: string;
  readonly content: Pick<ItemContent, "fields">;
  readonly use: ItemUse;
}

/** A request with the secret in it. */
export interface PlacedRequest extends AgentRequest {
  /** What is masked in the response. */
  readonly secrets: readonly string[];
}

/**
 * Puts the secret of an item into a request.
 *
 * @throws Refusal ITEM_NOT_USABLE, or MALFORMED_REQUEST for placeholders that the item cannot fill
 */
export function placeSecret(item: SecretItem, request: AgentRequest): PlacedRequest {
  const { use, kind, content } = item;
  const { headers, path } = request;
  const { useAs } = use;
  if (useAs.type === "placeholders") return fillPlaceholders(content, request);
  const secret = secretOf(kind, content) ?? "";
  const withHeader = (name: string, value: string, secrets: readonly string[]): PlacedRequest => {
    return { ...request, headers: { ...headers, [name.toLowerCase()]: [headerValue(value)] }, secrets };
  };
  switch (useAs.type) {
    case "bearer":
      return withHeader("authorization", `Bearer ${secret}`, [secret]);
    case "basic": {
      const username = content.fields.find(({ name }) => name === "username")?.value ?? "";
      // RFC 7617 section 2: the first colon ends the user.
      if (username.includes(":")) throw notUsable("its username contains a colon");
      const credentials = Buffer.from(`${username}:${secret}`).toString("base64");
      return withHeader("authorization", `Basic ${credentials}`, [secret, credentials]);
    }
    case "header":
      // It may begin with a scheme, such as `Token`, and a host gives back only what is after it.
      return withHeader(useAs.name, secret, [secret, secret.replace(/^\S+ +/, "")]);
    case "query":
      return { ...request, path: withQuery(path, useAs.name, secret), secrets: [secret] };
  }
}

/** A line break in it would begin another header. */
function headerValue(value: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value;
  throw notUsable("its secret has characters that a header cannot have");
}

function notUsable(why: string) {
  return refusal("ITEM_NOT_USABLE", `The item cannot be used in this way: ${why}. Its person changes it in the vault.`);
}

/** Replaces every parameter of the name: the first or the last of several would be a matter of the upstream. */
function withQuery(path: string, name: string, secret: string): string {
  const [start = "", ...rest] = path.split("?");
  const others = rest
    .join("?")
    .split(/[&;]/)
    .filter((part) => part !== "" && nameIn(part) !== name);
  return `${start}?${[...others, `${encodeURIComponent(name)}=${encodeURIComponent(secret)}`].join("&")}`;
}

function nameIn(parameter: string): string | undefined {
  return [...new URLSearchParams(parameter).keys()][0];
}

/** `{{name}}`, and as a form encodes it. */
const placeholder = /(?:\{\{|%7B%7B)([\w.-]{1,100})(?:\}\}|%7D%7D)/gi;

/** The most bytes that the placeholders of a request become: as many as a body can have. A short body could have many of them. */
const mostFilled = 16 * 1024 * 1024;

/** Fields of these types are never sent: the value of a one-time code is the secret that makes the codes. */
const closedTypes: readonly ContentField["type"][] = ["totp", "file"];

function fillPlaceholders({ fields }: Pick<ItemContent, "fields">, request: AgentRequest): PlacedRequest {
  const secrets = new Set<string>();
  let filled = 0;
  const fill = (text: string, encode: (value: string) => string) =>
    text.replace(placeholder, (_, name: string) => {
      const field = fields.find((each) => each.name === name && !closedTypes.includes(each.type));
      if (field === undefined) {
        throw refusal("MALFORMED_REQUEST", `The item has no field {{${name}}} that a request can contain.`);
      }
      secrets.add(field.value);
      const value = encode(field.value);
      filled += value.length;
      if (filled > mostFilled)
        throw refusal("BODY_TOO_LARGE", `The placeholders become more than ${mostFilled} bytes.`);
      return value;
    });
  const inHeader = (value: string) => fill(value, headerValue);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, values]) => [name, values.map(inHeader)]),
  );
  const encode = bodyEncoding(request.headers);
  // In latin1, each character is a byte: the bytes around the placeholders stay as they are.
  const inBody = (value: string) => Buffer.from(encode?.(value) ?? "").toString("latin1");
  const body = encode ? Buffer.from(fill(request.body.toString("latin1"), inBody), "latin1") : request.body;
  if (secrets.size > 0) return { ...request, headers, body, secrets: [...secrets] };
  throw refusal(
    "MALFORMED_REQUEST",
    "The item is used by placeholders, and the request has none: write {{name of a field}} in a header, or in a JSON or form body.",
  );
}

/** Returns how a value is written in the body of a request. Undefined: nothing is replaced in it. */
function bodyEncoding(headers: Headers): ((value: string) => string) | undefined {
  const type = headers["content-type"]?.[0]?.replace(/;.*$/s, "").trim().toLowerCase() ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  return type === "application/x-www-form-urlencoded" ? encodeURIComponent : undefined;
}
