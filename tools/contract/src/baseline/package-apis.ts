import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const text = z.record(z.string(), z.string());

const packageApiSchema = z.strictObject({
  /** Declarations of the API report, each with the entry that exports it, one string for each. */
  declarations: z.array(z.string()),
  /** What package.json promises: peers, engines, `main`, `type` and export conditions. */
  manifest: text,
});

export const packageApisSchema = z.record(z.string(), packageApiSchema);

/** The TypeScript API of each published package, by name. */
export type PackageApis = Readonly<Record<string, z.infer<typeof packageApiSchema>>>;

const manifestSchema = z.object({
  name: z.string(),
  private: z.boolean().default(false),
  type: z.string().optional(),
  main: z.string().optional(),
  engines: text.default({}),
  peerDependencies: text.default({}),
  exports: z.json().optional(),
});

/** Reads packages/<name>/api.md and package.json of every published package. */
export function readPackageApis(root: string): PackageApis {
  const folder = join(root, "packages");
  const folders = existsSync(folder) ? readdirSync(folder).sort() : [];
  return Object.fromEntries(
    folders.flatMap((name) => {
      const report = join(folder, name, "api.md");
      if (!existsSync(report)) return [];
      const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")));
      if (manifest.private) return [];
      const declarations = parseReport(readFileSync(report, "utf8"));
      return [[manifest.name, { declarations, manifest: promisesOf(manifest) }] as const];
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

function promisesOf({ type, main, engines, peerDependencies, exports }: z.infer<typeof manifestSchema>) {
  return {
    ...(type !== undefined && { type }),
    ...(main !== undefined && { main }),
    ...Object.fromEntries(Object.entries(engines).map(([name, range]) => [`engines.${name}`, range])),
    ...Object.fromEntries(Object.entries(peerDependencies).map(([name, range]) => [`peers.${name}`, range])),
    ...Object.fromEntries(conditionsIn("exports", exports ?? null)),
  };
}

/** Paths to targets: `exports > . > import > types`. */
function conditionsIn(path: string, value: z.infer<ReturnType<typeof z.json>>): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => conditionsIn(`${path} > ${key}`, inner));
}
