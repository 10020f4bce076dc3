import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Application,
  Converter,
  MinimalSourceFile,
  normalizePath,
  type ProjectReflection,
  ReflectionKind,
  type SomeType,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

import ts from "typescript";

interface Reference {
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

/** Reads the published declarations, because callers get these, not the sources: as one program, so that types link across pages. */
export async function readReference(): Promise<Reference> {
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
  const files = publicEntryPoints.map(({ declarations }) => declarations);
  const program = ts.createProgram(files, options);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => addReadmes(app, project));
  const project = app.converter.convert(
    publicEntryPoints.map(({ name, declarations }) => {
      const sourceFile = program.getSourceFile(declarations);
      if (sourceFile === undefined) throw new Error(`${declarations} does not exist. Build the packages first.`);
      return { displayName: name, program, sourceFile };
    }),
  );
  nameParameters(project);
  return { app, project };
}

/** Gives each package its README, whose links are then checked, too. */
function addReadmes(app: Application, project: ProjectReflection): void {
  for (const { name, readme } of publicEntryPoints) {
    const page = project.children?.find((module) => module.name === name);
    if (readme === undefined || page === undefined) continue;
    const path = normalizePath(readme);
    const text = new MinimalSourceFile(readFileSync(readme, "utf8"), path);
    page.readme = app.converter.parseRawComment(text, project.files).content;
    // Makes a link from one README to another a link to its page.
    project.files.registerReflectionPath(path, page);
  }
}

/** The name that TypeDoc gives to a parameter that the code destructures. */
const unnamed = "__namedParameters";

/** Names each destructured parameter after its type: `input` for `PutItemInput`, `options` for an object type. */
function nameParameters(project: ProjectReflection): void {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (parameter.name === unnamed && parameter.isParameter()) parameter.name = nameAfter(parameter.type);
  }
}

function nameAfter(type: SomeType | undefined): string {
  if (type?.type !== "reference") return "options";
  const [first] = type.typeArguments ?? [];
  if (type.package === "typescript") return nameAfter(first);
  return /[A-Z][a-z]+$/.exec(type.name)?.[0].toLowerCase() ?? "options";
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));

interface EntryPoint {
  /** The import specifier, such as "@platform-rpc/client/json". */
  readonly name: string;
  readonly packageName: string;
  readonly declarations: string;
  readonly readme: string | undefined;
}

/** All public entry points except `@platform-rpc/types-connect-v1`, whose API is that of `@platform-rpc/types` for Connect-ES v1. */
export const publicEntryPoints: readonly EntryPoint[] = ["broker", "client", "mcp", "server", "types"].flatMap(
  (name) => {
    const folder = join(root, "packages", name);
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const { name: packageName, exports, publishConfig } = manifest;
    return Object.entries(publishConfig.exports ?? exports).flatMap(([path, target]) =>
      typeof target === "string"
        ? []
        : {
            name: join(packageName, path),
            packageName,
            declarations: join(folder, target.import.types),
            readme: path === "." ? join(folder, "README.md") : undefined,
          },
    );
  },
);

type Exports = Readonly<Record<string, string | { readonly import: { readonly types: string } }>>;

interface Manifest {
  readonly name: string;
  readonly exports: Exports;
  /** What is published in place of the fields of the same names. */
  readonly publishConfig: { readonly exports?: Exports };
}
