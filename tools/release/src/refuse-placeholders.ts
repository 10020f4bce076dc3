import { placeholdersOf } from "./placeholders.ts";
import { publishedPackages, root } from "./workspace.ts";

// GitHub says where a workflow runs. Nowhere else is anything published, and nothing else knows the repository's name.
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;

if (GITHUB_SERVER_URL === undefined || GITHUB_REPOSITORY === undefined) {
  console.error("GITHUB_SERVER_URL and GITHUB_REPOSITORY do not say where this is published from.");
  process.exitCode = 2;
} else {
  const repository = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
  const findings = publishedPackages(root).flatMap((published) => placeholdersOf(published, repository));
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) console.error('See "Before the first release" in docs/versioning.md.');
  process.exitCode = findings.length > 0 ? 1 : 0;
}
