import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  Application,
  type Context,
  Converter,
  MinimalSourceFile,
  normalizePath,
  type ProjectReflection,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import ts from "typescript";
import { createCompilerHost } from "./compiler-host.ts";
import type { EntryPoint } from "./entry-points.ts";
import { nameParameters } from "./name-parameters.ts";

/** The public API as a TypeDoc project. */
export interface Reference {
  readonly app: Application;
  readonly project: ProjectReflection;
}

/** A page for each export, and one for each entry point, which lists its exports. */
const pageOptions = {
  router: "member",
  entryFileName: "index",
  modulesFileName: "index",
  excludeScopesInPaths: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  sanitizeComments: true,
  expandObjects: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  enumMembersFormat: "table",
  pageTitleTemplates: { member: ({ name }: { readonly name: string }) => name.replace(/\(\)$|\\<.*$/, "") },
} satisfies PluginOptions & TypeDocOptions;

/**
 * Reads the published declarations instead of the sources, so that the reference documents what a caller gets. All entry
 * points form one program, so that types link across pages.
 */
export async function readReference(entryPoints: readonly EntryPoint[]): Promise<Reference> {
  const settings: Partial<TypeDocOptions> = {
    name: "API",
    plugin: [fileURLToPath(import.meta.resolve("typedoc-plugin-markdown"))],
    ...pageOptions,
    readme: "none",
    logLevel: "Warn",
    disableSources: true,
    excludeExternals: true,
    // Excludes the source line in proto/, which adds nothing to the comment.
    excludeTags: ["@generated"],
    validation: { notExported: true, notDocumented: true, invalidLink: true, invalidPath: true, rewrittenLink: true },
    // Properties may have no docstring.
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
  };
  // No readers: settings of this workspace do not apply.
  const app = await Application.bootstrapWithPlugins(settings, []);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: ["node"],
    strict: true,
  };
  const files = entryPoints.map(({ declarations }) => declarations);
  const program = ts.createProgram(files, options, createCompilerHost(options));
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, addReadmes);
  const project = app.converter.convert(
    entryPoints.map(({ name, declarations }) => {
      const sourceFile = program.getSourceFile(declarations);
      if (sourceFile === undefined) throw new Error(`${declarations} does not exist. Build the packages first.`);
      return { displayName: name, program, sourceFile };
    }),
  );
  nameParameters(project);
  return { app, project };

  function addReadmes({ project }: Context): void {
    for (const { name, readme } of entryPoints) {
      if (readme === undefined) continue;
      // TypeDoc creates no module for the only entry point of a project: the project itself represents it.
      const page = project.children?.find((module) => module.name === name) ?? project;
      const path = normalizePath(readme);
      const text = new MinimalSourceFile(readFileSync(readme, "utf8"), path);
      page.readme = app.converter.parseRawComment(text, project.files).content;
      // Makes a link from one README to another a link to its page.
      project.files.registerReflectionPath(path, page);
    }
  }
}
