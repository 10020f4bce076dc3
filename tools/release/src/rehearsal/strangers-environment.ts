import { delimiter, dirname } from "node:path";

/**
 * A stranger's shell: it has this Node, and knows of the workspace that started it only the registry.
 */
export function strangersEnvironment(registry: string): Readonly<Record<string, string | undefined>> {
  const inherited = Object.keys(process.env).filter((name) => /^(npm|pnpm|NODE)_/i.test(name));
  const { PATH = "" } = process.env;
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    NO_PROXY: new URL(registry).hostname,
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    // What is published in a rehearsal is seconds old.
    pnpm_config_minimum_release_age: "0",
    npm_config_update_notifier: "false",
  };
}
