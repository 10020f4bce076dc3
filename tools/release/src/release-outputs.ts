import { createHash } from "node:crypto";

export interface Tarball {
  /** Its name, such as `scope-name-1.0.0.tgz`. */
  readonly file: string;
  /** The name and version of the package. */
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the data about the tarballs that later jobs need, as outputs of a workflow step:
 *
 * - `version`: the version of all packages
 * - `packages`: a JSON list of their names, as in file names
 * - `sha256`: the input of `sha256sum --check`
 * - `tarballs`: for each one its file, the path of its version on a registry, and its integrity there, in the given order
 */
export function releaseOutputs(tarballs: readonly Tarball[]): string {
  const version = tarballs[0]?.version ?? "";
  const packages = tarballs.map(({ file }) => file.slice(0, -`-${version}.tgz`.length));
  const sums = tarballs.map(({ file, bytes }) => `${createHash("sha256").update(bytes).digest("hex")}  ${file}`);
  const lines = tarballs.map(({ file, name, bytes }) => {
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    return `${file} ${name.replace("/", "%2f")}/${version} ${integrity}`;
  });
  return [
    `version=${version}`,
    `packages=${JSON.stringify(packages)}`,
    "sha256<<END",
    ...sums,
    "END",
    "tarballs<<END",
    ...lines,
    "END",
    "",
  ].join("\n");
}
