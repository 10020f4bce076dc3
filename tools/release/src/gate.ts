import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contractFiles } from "./contract-files.ts";
import { publishedPackages, root, type WorkspacePackage } from "./workspace.ts";

/** A URL with a reserved host that nobody can own (RFC 2606 section 2). Published packages must not contain such a URL. */
const placeholder = /https?:\/\/(?:[\w-]+\.)*example(?!\.?[\w-])[^\s"'`]*/;

/**
 * Returns a finding for each placeholder in a built package, and for a wrong repository in its manifest. `repository` is
 * the repository it is published from, as a manifest names it.
 */
export function placeholdersOf({ folder, manifest }: WorkspacePackage, repository: string): readonly string[] {
  const findings: string[] = [];
  const { name, repository: named } = manifest;
  if (named?.url !== repository) {
    findings.push(`${name} names ${named?.url} as its repository, but is published from ${repository}.`);
  }
  const built = globSync("dist/**/*.{js,cjs}", { cwd: folder }).sort();
  if (built.length === 0) findings.push(`${name} is not built.`);
  return [...findings, ...placeholdersIn(name, folder, built)];
}

/** Returns a finding for each file with a placeholder URL. The paths of the files are relative to `folder`. */
function placeholdersIn(name: string, folder: string, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const [found] = placeholder.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    return found === undefined ? [] : [`${name} contains the placeholder ${found} in ${file}.`];
  });
}

/**
 * Returns a finding for each team in CODEOWNERS that does not belong to the organization of `repository`. GitHub ignores such a
 * line, so the files that it protects need no review.
 */
export function foreignTeamsIn(codeOwners: string, repository: string): readonly string[] {
  const [organization = ""] = repository.split("/");
  const teams = new Set(codeOwners.replace(/^#.*/gm, "").match(/@[\w-]+\/[\w-]+/g));
  return [...teams]
    .filter((team) => !team.toLowerCase().startsWith(`@${organization.toLowerCase()}/`))
    .map(
      (team) => `.github/CODEOWNERS names ${team}, which is not a team of ${organization}. Name one with write access.`,
    );
}

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
    const maintainers = await maintainersOf(name, registry);
    if (maintainers === undefined || maintainers.includes(owner)) return [];
    return [
      `${name} belongs to ${maintainers.join(", ") || "nobody"} on ${registry}, not to ${owner}. Publish under a scope that you own.`,
    ];
  });
  return (await Promise.all(findings)).flat();
}

/** Returns who maintains a package on the registry. Undefined: the registry has no package of that name. @throws Error */
async function maintainersOf(name: string, registry: string): Promise<readonly string[] | undefined> {
  const url = `${registry.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new Error(`${url} returned status ${response.status}. Try again when the registry is available.`);
  const { maintainers = [] }: { maintainers?: readonly { name: string }[] } = JSON.parse(await response.text());
  return maintainers.map(({ name: maintainer }) => maintainer);
}

/** Checks what a release would publish. Returns the exit code. */
async function main(): Promise<number> {
  // GitHub Actions sets the repository's name. Packages are published only from there.
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, NPM_OWNER, npm_config_registry } = process.env;
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !NPM_OWNER) {
    console.error(
      "Set GITHUB_SERVER_URL and GITHUB_REPOSITORY (GitHub Actions does), and NPM_OWNER to the npm user that maintains the packages.",
    );
    return 2;
  }
  const packages = publishedPackages(root);
  const repository = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
  const names = packages.map(({ manifest }) => manifest.name);
  const findings = [
    ...packages.flatMap((published) => placeholdersOf(published, repository)),
    ...placeholdersIn("The contract", root, [...contractFiles().values()]),
    ...foreignTeamsIn(readFileSync(join(root, ".github/CODEOWNERS"), "utf8"), GITHUB_REPOSITORY),
    ...(await foreignOwnersOf(names, NPM_OWNER, npm_config_registry ?? "https://registry.npmjs.org/")),
  ];
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) console.error('See "Before the first release" in docs/versioning.md.');
  return findings.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main();
