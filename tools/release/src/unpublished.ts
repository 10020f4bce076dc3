import { readRegistryDocument } from "./registry-document.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Returns the packages whose version is not on the registry. */
export async function unpublishedOf(
  packages: readonly WorkspacePackage[],
  registry: string,
): Promise<readonly WorkspacePackage[]> {
  const found = packages.map(async (one) => {
    const document = await readRegistryDocument(one.manifest.name, registry);
    return document?.versions.includes(one.manifest.version) ? [] : [one];
  });
  return (await Promise.all(found)).flat();
}
