import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changesOf } from "./changes.ts";
import { packInto } from "./packed-package.ts";
import { inPublishOrder } from "./publish-order.ts";
import { releaseOutputs } from "./release-outputs.ts";
import { onlyVersionOf, publishedPackages, root } from "./workspace.ts";

// Packs the published packages into dist/release, and describes the tarballs as outputs of a workflow step.
const folder = join(root, "dist/release");
const packages = publishedPackages(root);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const tarballs = [];
for (const { folder: source, manifest } of inPublishOrder(packages)) {
  const file = await packInto({ folder: source, manifest }, folder);
  tarballs.push({ file, name: manifest.name, version: manifest.version, bytes: readFileSync(join(folder, file)) });
}
writeFileSync(join(folder, "notes.md"), changesOf(packages, onlyVersionOf(packages)));

const outputs = releaseOutputs(tarballs);
const { GITHUB_OUTPUT } = process.env;
if (GITHUB_OUTPUT !== undefined) appendFileSync(GITHUB_OUTPUT, outputs);
console.log(outputs);
