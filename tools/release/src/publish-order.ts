import type { WorkspacePackage } from "./workspace.ts";

/**
 * Sorts packages so that each follows the ones it depends on. Published in this order, no package requires a version that the
 * registry does not have, even if publishing stops halfway.
 */
export function inPublishOrder(packages: readonly WorkspacePackage[]): readonly WorkspacePackage[] {
  const ordered = new Set<WorkspacePackage>();
  const add = (one: WorkspacePackage) => {
    for (const other of packages) if (dependsOn(one, other) && !ordered.has(other)) add(other);
    ordered.add(one);
  };
  for (const one of packages) add(one);
  return [...ordered];
}

const dependsOn = ({ manifest }: WorkspacePackage, other: WorkspacePackage): boolean =>
  other.manifest.name in (manifest.dependencies ?? {});
