import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changesOf } from "./changes.ts";
import { npmRegistry } from "./npm-registry.ts";
import { packInto } from "./packed-package.ts";
import { unpublishedOf } from "./unpublished.ts";
import { onlyVersionOf, publishedPackages, root } from "./workspace.ts";

// Packs what is not published yet into dist/release, and says what that is as outputs of a workflow's step.
const folder = join(root, "dist/release");
const packages = publishedPackages(root);
const version = onlyVersionOf(packages);
const unpublished = await unpublishedOf(packages, npmRegistry);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const tarballs: string[] = [];
for (const one of unpublished) tarballs.push(await packInto(one, folder));
const sums = tarballs.map((tarball) => {
  const sum = createHash("sha256")
    .update(readFileSync(join(folder, tarball)))
    .digest("hex");
  return `${sum}  ${tarball}`;
});
writeFileSync(join(folder, "notes.md"), changesOf(packages, version));

const names = tarballs.map((tarball) => tarball.slice(0, -`-${version}.tgz`.length));
const outputs = [`version=${version}`, `packages=${JSON.stringify(names)}`, "sha256<<END", ...sums, "END"].join("\n");
const { GITHUB_OUTPUT } = process.env;
if (GITHUB_OUTPUT !== undefined) appendFileSync(GITHUB_OUTPUT, `${outputs}\n`);
console.log(outputs);
