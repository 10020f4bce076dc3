import { readRegistryDocument } from "./registry-document.ts";

/**
 * Returns a finding for each package that exists on the registry and that `owner` does not maintain: installing that name
 * would run someone else's code. A name that is not published yet passes.
 */
export async function foreignOwnersOf(
  names: readonly string[],
  owner: string,
  registry: string,
): Promise<readonly string[]> {
  const findings = names.map(async (name) => {
    const document = await readRegistryDocument(name, registry);
    if (document === undefined || document.maintainers.includes(owner)) return [];
    const maintainers = document.maintainers.join(", ") || "nobody";
    return [`${name} belongs to ${maintainers} on ${registry}, not to ${owner}. Publish under a scope that you own.`];
  });
  return (await Promise.all(findings)).flat();
}
