import { isAbsolute, join } from "node:path";

/**
 * Returns the folder of the programs' files: `PLATFORM_CONFIG_DIR`, or `platform` in `XDG_CONFIG_HOME` or `~/.config`.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function configFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const { PLATFORM_CONFIG_DIR, XDG_CONFIG_HOME = "" } = environment;
  // The specification ignores a relative path: in each folder, the session would be another one.
  return PLATFORM_CONFIG_DIR || join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config"), "platform");
}
