import { styleText } from "node:util";

/** Help without colour is written without it. */
export function bold(text: string): string {
  return styleText("bold", text, { validateStream: false });
}

export function examples(...lines: readonly string[]): string {
  return `\n${bold("Examples:")}\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
