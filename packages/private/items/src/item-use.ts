import type { ContentField, ItemContent } from "./item-content.js";

/**
 * How an agent uses the secret of an item, without seeing it: what the broker adds to a request. `placeholders`: it replaces `{{name}}`
 * in headers and bodies with the field of that name. `none`: agents cannot use the item.
 */
export type UseAs =
  | { readonly type: "bearer" | "basic" | "placeholders" }
  | { readonly type: "none" }
  | { readonly type: "header" | "query"; readonly name: string };

/** Where and how agents can use an item. */
export interface ItemUse {
  /** The hosts that requests with the secret are sent to, in lower case, with the port unless it is 443: `example.com:8443`. */
  readonly hosts: readonly string[];
  readonly useAs: Exclude<UseAs, { readonly type: "none" }>;
}

type Fields = Pick<ItemContent, "fields">;

/** The name of the field that says how agents use an item. */
export const useAsName = "use_as";

const defaults: ReadonlyMap<string, string> = new Map([
  ["api_key", "bearer"],
  ["login", "basic"],
]);

/** Headers that belong to the connection, or say where a request ends and whom it is for: none of them can have a secret. */
const reservedHeaders =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/** Returns where and how agents can use an item. Undefined: nowhere. */
export function usesOf(kind: string, content: Fields): ItemUse | undefined {
  const useAs = useAsOf(kind, content);
  const hosts = hostsOf(content);
  if (useAs.type === "none" || hosts.length === 0) return undefined;
  const isWhole = useAs.type === "placeholders" || secretOf(kind, content) !== undefined;
  return isWhole ? { hosts, useAs } : undefined;
}

/** Returns what an item says in its field `use_as`, or the default of its kind. What is not understood is `none`. */
export function useAsOf(kind: string, { fields }: Fields): UseAs {
  const stored = fields.find(({ name }) => name === useAsName)?.value.trim();
  const [type, name, ...others] = (stored || defaults.get(kind) || "none").split(/\s+/);
  switch (type) {
    case "bearer":
    case "basic":
    case "placeholders":
      return name === undefined ? { type } : { type: "none" };
    case "header":
    case "query": {
      const isName = name !== undefined && others.length === 0 && /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
      return isName && !(type === "header" && reservedHeaders.test(name)) ? { type, name } : { type: "none" };
    }
    default:
      return { type: "none" };
  }
}

/** Returns the secret of an item: its field `key` or `password`, by its kind, otherwise its first field of the type `secret`. */
export function secretOf(kind: string, { fields }: Fields): string | undefined {
  const filled = fields.filter(({ value }) => value !== "");
  const main = kind === "api_key" ? "key" : "password";
  return (filled.find(({ name }) => name === main) ?? filled.find(({ type }) => type === "secret"))?.value;
}

/**
 * Returns the host that a text names as a request has it. Undefined: it names none. A scheme, a path, a default port and the dot of an
 * absolute name are left out.
 */
export function hostIn(text: string): string | undefined {
  const [, rest = ""] = /^(?:https?:\/\/)?(?![a-z][a-z\d+.-]*:\/)(.*)$/is.exec(text.trim()) ?? [];
  const url = URL.parse(`https://${rest}`);
  return url && url.username + url.password === "" ? url.host.replace(/\.(?=:|$)/, "") : undefined;
}

function hostsOf({ fields }: Fields): readonly string[] {
  const isHost = ({ name, type }: ContentField) => type === "url" || (type === "text" && name === "host");
  return [...new Set(fields.filter(isHost).flatMap(({ value }) => hostIn(value) ?? []))];
}
