import { typeOfName } from "../content/old-names.js";
import type { Content } from "../opening/open-content.js";

/** Returns whether a field is shown only when the person wants to see it. */
export function isSecret(name: string): boolean {
  return typeOfName(name) === "secret";
}

/** Returns the address that a field contains, which the person can open. Undefined if it contains none of the web. */
export function addressOf(name: string, value: string): string | undefined {
  if (!["url", "website"].includes(name.toLowerCase())) return undefined;
  const address = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `https://${value}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

/** A field of an item in two of its states. Undefined: it is not in that state. */
export interface ComparedField {
  readonly name: string;
  readonly seen: string | undefined;
  readonly now: string | undefined;
}

/** Compares two states of an item: its title, and every field that is in one of them. */
export function compareContents(seen: Content | undefined, now: Content | undefined): readonly ComparedField[] {
  const [before, after] = [new Map(seen?.fields), new Map(now?.fields)];
  const names = new Set([...before.keys(), ...after.keys()]);
  const fields = [...names].map((name) => ({ name, seen: before.get(name), now: after.get(name) }));
  return [{ name: "title", seen: seen?.title, now: now?.title }, ...fields];
}
