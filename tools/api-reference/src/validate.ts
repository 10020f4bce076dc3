import type { EntryPoint } from "./entry-points.ts";
import type { Reference } from "./read-reference.ts";

/**
 * Whether everything public is exported under a name and has its words, and every link leads somewhere. What is not so is
 * said by TypeDoc, as warnings.
 */
export function validate({ app, project }: Reference, entryPoints: readonly EntryPoint[]): boolean {
  // TypeDoc asks for exports and words only of the package that it takes the project for.
  for (const packageName of new Set(entryPoints.map((entryPoint) => entryPoint.packageName))) {
    project.packageName = packageName;
    app.validate(project);
  }
  return !app.logger.hasErrors() && !app.logger.hasWarnings();
}
