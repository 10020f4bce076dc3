import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { manifestSchema, promisesOf } from "./manifests.ts";

const packageApiSchema = z.strictObject({
  /** Declarations of the API report, each with the entry that exports it, one string for each. */
  declarations: z.array(z.string()),
  /** What package.json promises. */
  manifest: z.record(z.string(), z.string()),
});

export const packageApisSchema = z.record(z.string(), packageApiSchema);

/** The TypeScript API of each published package, by name. */
export type PackageApis = Readonly<Record<string, z.infer<typeof packageApiSchema>>>;

/** Reads packages/<name>/api.md and package.json of every published package. A package without an entry has no report. */
export function readPackageApis(root: string): PackageApis {
  const folder = join(root, "packages");
  const folders = existsSync(folder) ? readdirSync(folder).sort() : [];
  const published = folders.flatMap((name) => {
    const path = join(folder, name, "package.json");
    if (!existsSync(path)) return [];
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return manifest.private ? [] : [{ manifest, report: join(folder, name, "api.md") }];
  });
  const peers = new Set(published.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies)));
  return Object.fromEntries(
    published.map(({ manifest, report }) => {
      const declarations = existsSync(report) ? parseReport(readFileSync(report, "utf8")) : [];
      return [manifest.name, { declarations, manifest: promisesOf(manifest, peers) }] as const;
    }),
  );
}

/** The declarations of an API report, under the heading of the entry that exports them. */
export function parseReport(report: string): string[] {
  const sections = report.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [, entry = "", code = ""] = /^(\S+)[\s\S]*?^```ts\n([\s\S]*?)^```/m.exec(section) ?? [];
    return code
      .split(/\n\s*\n/)
      .map((block) => block.trim())
      .filter((block) => block !== "" && !block.startsWith("import "))
      .map((block) => `${entry}\n${block}`);
  });
}
