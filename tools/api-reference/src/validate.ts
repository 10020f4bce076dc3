import type { EntryPoint } from "./entry-points.ts";
import type { Reference } from "./read-reference.ts";

/**
 * Returns whether every public declaration is exported and documented, and every link has a target. TypeDoc logs each
 * problem as a warning.
 */
export function validate({ app, project }: Reference, entryPoints: readonly EntryPoint[]): boolean {
  // TypeDoc checks exports and docstrings only for the package in `packageName`.
  for (const packageName of new Set(entryPoints.map((entryPoint) => entryPoint.packageName))) {
    project.packageName = packageName;
    app.validate(project);
  }
  return !app.logger.hasErrors() && !app.logger.hasWarnings();
}
