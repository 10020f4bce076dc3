import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, failure, startOf } from "../model/finding.ts";

/** What creates or migrates the database of a storage. Databases of users have run it, and cannot run it again. */
const files = "packages/*/src/storage/{sqlite/database,postgres}/{schema.ts,schema/*.ts,migrations/*.ts}";
const entry = "migrations";

/** Returns the migrations of a package as declarations of its API, each with the digest of its file. */
export function migrationsIn(root: string, folder: string): readonly string[] {
  const found = globSync(files, { cwd: root }).filter((file) => file.startsWith(`${folder}/`) && !isTest(file));
  return found.sort().map((file) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(root, file)))
      .digest("hex");
    return `${entry}\n${file} ${digest}`;
  });
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

export function isMigration(declaration: string): boolean {
  return declaration.startsWith(`${entry}\n`);
}

/** Rejects a released migration that was edited or removed, with any changeset. A new one is no change for those who have the others. */
export function migrationFindings(released: readonly string[], current: readonly string[]): readonly Finding[] {
  const now = new Set(current);
  return released
    .filter((declaration) => isMigration(declaration) && !now.has(declaration))
    .map((declaration) => {
      const file = declaration.replace(/^.*\n/, "").replace(/ .*/, "");
      const message =
        `${file} was released, and was edited or removed since.\n` +
        "This breaks callers: databases that have run it differ from new ones, and no migration leads from one to the other.\n" +
        "Instead: restore the file as it was released, and add a migration.";
      return { ...failure("migration-changed", startOf(file), message), change: "breaking" };
    });
}
