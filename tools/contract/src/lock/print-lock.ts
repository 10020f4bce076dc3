import type { Lock } from "./lock.ts";

const width = 120;

/** Prints a lock as Biome formats JSON: one property on a line, and lists on one line where they fit. */
export function printLock(lock: Lock): string {
  return `${print(lock, "", "")}\n`;
}

function print(value: unknown, indent: string, key: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(item));
    const line = `[${items.join(", ")}]`;
    // Leaves room for a comma.
    if (indent.length + key.length + line.length < width) return line;
    return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${JSON.stringify(name)}: `;
    return inner + start + print(member, inner, start);
  });
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}
