import { printable } from "@platform-rpc/client";

/** Escapes a text that a program prints like `printable`, but for its line breaks and tabs, which the program itself writes. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}
