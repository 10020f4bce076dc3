import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { manifestSchema, promisesOf } from "./manifests.ts";
import { migrationsIn } from "./migrations.ts";

const packageApiSchema = z.strictObject({
  /** Declarations of the API report, each with the entry that exports it, and the migrations. One string for each. */
  declarations: z.array(z.string()),
  /** What package.json promises. */
  manifest: z.record(z.string(), z.string()),
});

export const packageApisSchema = z.record(z.string(), packageApiSchema);

/** What callers of each published package rely on, by name: its TypeScript API, programs, tools, defaults and package.json. */
export type PackageApis = Readonly<Record<string, z.infer<typeof packageApiSchema>>>;

/** Reads packages/<name>/api.md and package.json of every published package. */
export function readPackageApis(root: string): PackageApis {
  const folder = join(root, "packages");
  const folders = existsSync(folder) ? readdirSync(folder).sort() : [];
  const published = folders.flatMap((name) => {
    const path = join(folder, name, "package.json");
    if (!existsSync(path)) return [];
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return manifest.private ? [] : [{ manifest, folder: `packages/${name}`, report: join(folder, name, "api.md") }];
  });
  const peers = new Set(published.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies)));
  return Object.fromEntries(
    published.map(({ manifest, report, folder: own }) => {
      const declarations = existsSync(report) ? parseReport(readFileSync(report, "utf8")) : [];
      const migrations = migrationsIn(root, own);
      return [
        manifest.name,
        { declarations: [...declarations, ...migrations], manifest: promisesOf(manifest, peers) },
      ] as const;
    }),
  );
}

/** The entry that promises nothing: docs/versioning.md. */
const unstableEntry = /^\S+\/host\n/;

/**
 * Returns the declarations of an API report, each with the heading that it is under: an entry, a program, or `defaults`. Those of an unstable
 * entry promise nothing.
 */
export function parseReport(report: string): string[] {
  const sections = report
    .split(/^## /m)
    .slice(1)
    .filter((section) => !unstableEntry.test(section));
  return sections.flatMap((section) => {
    const [, entry = "", code = ""] = /^(\S+)[\s\S]*?^```(?:ts|text)\n([\s\S]*?)^```/m.exec(section) ?? [];
    return code
      .split(/\n\s*\n/)
      .map((block) => block.trim())
      .filter((block) => block !== "" && !block.startsWith("import "))
      .map((block) => `${entry}\n${block}`);
  });
}
