import { readReference } from "./read-reference.ts";

/**
 * Writes the pages of the public API as Markdown into a folder: `<entry point>/index.md` for each entry point, and
 * `<entry point>/<kind>/<name>.md` for each export. The names of the entry points are without their scope, such as `client/json`.
 */
export async function writeReferencePages(folder: string): Promise<void> {
  const { app, project } = await readReference();
  // The READMEs have pages of their own.
  for (const module of project.children ?? []) delete module.readme;
  app.options.setValue("outputs", [{ name: "markdown", path: folder }]);
  await app.generateOutputs(project);
}
