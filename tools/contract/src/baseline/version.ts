/** The version bump that the changes require. */
export type Step = "patch" | "minor" | "major";

/** Reports whether a version is at least one step above the released one. The first release is 0.1.0 or higher. */
export function fits(released: string | undefined, version: string, step: Step): boolean {
  const [was, is] = [parse(released ?? "0.0.0"), parse(version)];
  if (was === undefined || is === undefined) return false;
  if (is.major !== was.major) return is.major > was.major;
  if (released === undefined || step === "minor") return is.minor > was.minor;
  return step === "patch" && (is.minor > was.minor || (is.minor === was.minor && is.patch > was.patch));
}

function parse(version: string) {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:-[\w.-]+)?$/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}
