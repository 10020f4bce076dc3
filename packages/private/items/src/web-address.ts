import type { ContentField } from "./item-content.js";

/** Returns the address that a field contains, which the person can open. Undefined if it contains none of the web. */
export function addressOf({ type, value }: Pick<ContentField, "type" | "value">): string | undefined {
  if (type !== "url") return undefined;
  const address = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `https://${value}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
