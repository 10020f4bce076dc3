import { ProgramError } from "@platform-rpc/signed-in";

/** Names a field of an item in a vault: `pvault://vault/item/field`. */
export interface Reference {
  /** The id or the name. */
  readonly vault: string;
  /** The id or the title. */
  readonly item: string;
  readonly field: string;
}

const scheme = "pvault://";

/** Parses the value of a variable; undefined if it is no reference. @throws ProgramError, without the value, if it only starts like one. */
export function parseReference(value: string, variable: string): Reference | undefined {
  // As a word between others, it is only mentioned.
  if (!/(?:^\W*|\S)pvault:\/\//i.test(value)) return undefined;
  const parts = value.startsWith(scheme) ? value.slice(scheme.length).split("/").map(decode) : [];
  const [vault, item, field, ...others] = parts;
  if (!vault || !item || !field || others.length > 0) {
    throw new ProgramError(
      `${variable} is not a valid reference. It must be ${scheme}vault/item/field and nothing else, with "/" and "%" inside of names as %2F and %25.`,
      "usage",
    );
  }
  return { vault, item, field };
}

export function formatReference({ vault, item, field }: Reference): string {
  return scheme + [vault, item, field].map(encodeURIComponent).join("/");
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
