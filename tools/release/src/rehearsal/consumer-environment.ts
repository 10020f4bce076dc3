import { delimiter, dirname } from "node:path";

/** Returns the environment of a project outside the workspace: this Node, the registry, and no settings of the workspace. */
export function consumerEnvironment(registry: string): Readonly<Record<string, string | undefined>> {
  const inherited = Object.keys(process.env).filter((name) => /^(npm|pnpm|NODE)_/i.test(name));
  const { PATH = "" } = process.env;
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    NO_PROXY: new URL(registry).hostname,
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    // The rehearsed packages are seconds old.
    pnpm_config_minimum_release_age: "0",
    npm_config_update_notifier: "false",
  };
}
