import { publicEntryPoints, readReference } from "./read-reference.ts";

// TypeDoc logs each problem as a warning: a declaration without a docstring or outside the exports, and a link without a target.
const { app, project } = await readReference();
// It checks exports and docstrings only for the package in `packageName`.
for (const packageName of new Set(publicEntryPoints.map((entryPoint) => entryPoint.packageName))) {
  project.packageName = packageName;
  // Callers of the server infer the types of records and outcomes. Exported, each of them would be a promise.
  app.options.setValue("validation", { notExported: packageName !== "@platform-rpc/server" });
  app.validate(project);
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
