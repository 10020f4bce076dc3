import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contractFiles } from "./contract-files.ts";
import { foreignOwnersOf } from "./foreign-owners.ts";
import { foreignTeamsIn } from "./foreign-teams.ts";
import { npmRegistry } from "./npm-registry.ts";
import { placeholdersIn, placeholdersOf } from "./placeholders.ts";
import { publishedPackages, root } from "./workspace.ts";

// GitHub Actions sets the repository's name. Packages are published only from there.
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, NPM_OWNER } = process.env;

if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !NPM_OWNER) {
  console.error(
    "Set GITHUB_SERVER_URL and GITHUB_REPOSITORY (GitHub Actions does), and NPM_OWNER to the npm user that maintains the packages.",
  );
  process.exitCode = 2;
} else {
  const packages = publishedPackages(root);
  const repository = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
  const names = packages.map(({ manifest }) => manifest.name);
  const findings = [
    ...packages.flatMap((published) => placeholdersOf(published, repository)),
    ...placeholdersIn("The contract", root, [...contractFiles().values()]),
    ...foreignTeamsIn(readFileSync(join(root, ".github/CODEOWNERS"), "utf8"), GITHUB_REPOSITORY),
    ...(await foreignOwnersOf(names, NPM_OWNER, npmRegistry)),
  ];
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) console.error('See "Before the first release" in docs/versioning.md.');
  process.exitCode = findings.length > 0 ? 1 : 0;
}
