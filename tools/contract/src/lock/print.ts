const width = 120;

/**
 * JSON as a person reads it and as the formatter of this workspace leaves it: two spaces, and lists on one line where
 * they fit. What is empty is left out.
 */
export function printJson(value: unknown): string {
  return `${print(value, "", 0, 0)}\n`;
}

/** `before` and `after` are the characters that share the first and the last line with the value. */
function print(value: unknown, indent: string, before: number, after: number): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
    if (indent.length + before + line.length + after <= width) return line;
    return `[\n${value.map((item) => inner + print(item, inner, 0, 1)).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && !isEmpty(item));
  const lines = entries.map(([name, item], index) => {
    const key = `${JSON.stringify(name)}: `;
    return `${inner}${key}${print(item, inner, key.length, index < entries.length - 1 ? 1 : 0)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
