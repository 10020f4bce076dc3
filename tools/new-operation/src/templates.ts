import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import nodePlop, { type NodePlopAPI } from "node-plop";
import { camel, kebab } from "./names.ts";

/** Returns plop for the workspace at `root`, with the helpers and partials that the templates use. */
export async function createPlop(root: string): Promise<NodePlopAPI> {
  const plop = await nodePlop("", { destBasePath: root, force: false });
  plop.setHelper("kebab", (text: string) => kebab(text));
  plop.setHelper("camel", (text: string) => camel(text));
  plop.setHelper("client", (service: string) => camel(service.replace(/Service$/, "")));
  for (const name of ["rpc", "messages", "method"]) plop.setPartial(name, template(`${name}.hbs`));
  return plop;
}

/** Returns the text of a file in `templates/`. */
export function template(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../templates/${file}`, import.meta.url)), "utf8");
}
