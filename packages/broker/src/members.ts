/** The members of a JSON object, not checked yet. */
export type Members = { readonly [name: string]: unknown };

/** Returns the members of a JSON object, or undefined when the text is not one. */
export function parseMembers(json: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
