import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages, root } from "./workspace.ts";

// Checks who publishes, and from where. GitHub Actions sets the repository's name: packages are published only from there.
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY = "", NPM_OWNER = "", npm_config_registry } = process.env;
if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !NPM_OWNER) {
  throw new Error(
    "Set GITHUB_SERVER_URL and GITHUB_REPOSITORY (GitHub Actions does), and NPM_OWNER to the npm user that maintains the packages.",
  );
}
const repository = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
const registry = npm_config_registry ?? "https://registry.npmjs.org/";

const findings = foreignTeams();
for (const { manifest } of publishedPackages(root)) {
  const { name, repository: named } = manifest;
  // npm accepts provenance from no other repository.
  if (named?.url !== repository)
    findings.push(`${name} names ${named?.url} as its repository, but is published from ${repository}.`);
  const maintainers = await maintainersOf(name);
  // To install that name would run somebody else's code. A name that is not published yet is free.
  if (maintainers?.includes(NPM_OWNER) === false)
    findings.push(
      `${name} belongs to ${maintainers.join(", ") || "nobody"} on ${registry}, not to ${NPM_OWNER}. Publish under a scope that you own.`,
    );
}
for (const finding of findings) console.error(finding);
if (findings.length > 0) {
  console.error('See "Before the first release" in docs/versioning.md.');
  process.exitCode = 1;
}

/** Finds the teams of other organizations in CODEOWNERS. GitHub ignores their lines, so the files that these protect need no review. */
function foreignTeams(): string[] {
  const [organization = ""] = GITHUB_REPOSITORY.split("/");
  const codeOwners = readFileSync(join(root, ".github/CODEOWNERS"), "utf8");
  const teams = new Set(codeOwners.replace(/^#.*/gm, "").match(/@[\w-]+\/[\w-]+/g));
  return [...teams]
    .filter((team) => !team.toLowerCase().startsWith(`@${organization.toLowerCase()}/`))
    .map(
      (team) => `.github/CODEOWNERS names ${team}, which is not a team of ${organization}. Name one with write access.`,
    );
}

/** Returns who maintains a package on the registry. Undefined: the registry has no package of that name. @throws Error */
async function maintainersOf(name: string): Promise<readonly string[] | undefined> {
  const url = `${registry.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new Error(`${url} returned status ${response.status}. Try again when the registry is available.`);
  const { maintainers = [] }: { maintainers?: readonly { name: string }[] } = JSON.parse(await response.text());
  return maintainers.map(({ name: maintainer }) => maintainer);
}
