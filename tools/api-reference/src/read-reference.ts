import { readFileSync } from "node:fs";
import {
  Application,
  type Context,
  Converter,
  MinimalSourceFile,
  normalizePath,
  type ProjectReflection,
} from "typedoc";
import ts from "typescript";
import type { EntryPoint } from "./entry-points.ts";

/** The public API, as TypeDoc understands it. */
export interface Reference {
  readonly app: Application;
  readonly project: ProjectReflection;
}

/**
 * Reads the declarations that are published, not the sources: what it documents is what a caller gets. All entry points are
 * one program, so that a type of one is a link to the page of another.
 */
export async function readReference(entryPoints: readonly EntryPoint[]): Promise<Reference> {
  const app = await Application.bootstrap({
    name: "Platform",
    readme: "none",
    disableSources: true,
    excludeExternals: true,
    // Which line of proto/ a declaration is made from: its comment says the same, and is above it.
    excludeTags: ["@generated"],
    validation: { notExported: true, notDocumented: true, invalidLink: true, invalidPath: true, rewrittenLink: true },
    // A property whose name says it all needs no words.
    requiredToBeDocumented: [
      "Variable",
      "Function",
      "Class",
      "Method",
      "Accessor",
      "Interface",
      "TypeAlias",
      "Enum",
      "EnumMember",
    ],
  });
  const program = ts.createProgram(
    entryPoints.map(({ declarations }) => declarations),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
      types: ["node"],
      strict: true,
    },
  );
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, addReadmes);
  const project = app.converter.convert(
    entryPoints.map(({ name, declarations }) => {
      const sourceFile = program.getSourceFile(declarations);
      if (sourceFile === undefined) throw new Error(`${declarations} is not there: build the packages first.`);
      return { displayName: name, program, sourceFile };
    }),
  );
  return { app, project };

  function addReadmes({ project }: Context): void {
    for (const { name, readme } of entryPoints) {
      if (readme === undefined) continue;
      // TypeDoc makes no page for the one entry point of a project: it is the project.
      const page = project.children?.find((module) => module.name === name) ?? project;
      const path = normalizePath(readme);
      const text = new MinimalSourceFile(readFileSync(readme, "utf8"), path);
      page.readme = app.converter.parseRawComment(text, project.files).content;
      // A link from one README to another is a link to its page.
      project.files.registerReflectionPath(path, page);
    }
  }
}
