/** The registry's data about a package. */
export interface RegistryDocument {
  readonly maintainers: readonly string[];
  readonly versions: readonly string[];
}

/**
 * Reads the registry document of a package. Returns undefined when the registry has no package of that name.
 *
 * @throws Error when the registry does not respond, or responds with a status other than 200 or 404.
 */
export async function readRegistryDocument(name: string, registry: string): Promise<RegistryDocument | undefined> {
  const url = `${registry.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new Error(`${url} returned status ${response.status}. Try again when the registry is available.`);
  const document: { maintainers?: readonly { name: string }[]; versions?: object } = JSON.parse(await response.text());
  return {
    maintainers: (document.maintainers ?? []).map(({ name: maintainer }) => maintainer),
    versions: Object.keys(document.versions ?? {}),
  };
}
