import { type ProjectReflection, type Reflection, ReflectionKind, type SignatureReflection } from "typedoc";

/** A block of code below `@example` in a docstring. */
export interface Example {
  /** The full name of its declaration, such as "@platform-rpc/client.createPlatformClient". */
  readonly of: string;
  readonly code: string;
  /** The expected output: the comment on the line after each `console.log`. */
  readonly expected: readonly string[];
}

export function examplesOf(project: ProjectReflection): readonly Example[] {
  return Object.values(project.reflections).flatMap((reflection) =>
    codeOf(reflection).map((code) => ({
      of: declarationOf(reflection).getFullName(),
      code,
      expected: [...code.matchAll(/^ *console\.log\(.*\);.*\n *\/\/ (.*)$/gm)].map(([, line = ""]) => line),
    })),
  );
}

/** Returns the full names of the functions and classes of a package, as in `Example.of`. */
export function callablesOf(project: ProjectReflection, packageName: string): readonly string[] {
  return namesOf(project, packageName, ReflectionKind.Function | ReflectionKind.Class);
}

/** Returns the full names of everything that an entry exports, as in `Example.of`. */
export function exportsOf(project: ProjectReflection, entry: string): readonly string[] {
  const types = ReflectionKind.Interface | ReflectionKind.TypeAlias;
  const values = ReflectionKind.Function | ReflectionKind.Class | ReflectionKind.Variable;
  return namesOf(project, `${entry}.`, types | values);
}

function namesOf(project: ProjectReflection, prefix: string, kinds: ReflectionKind): readonly string[] {
  const declarations = project.getReflectionsByKind(kinds);
  return declarations.map((declaration) => declaration.getFullName()).filter((name) => name.startsWith(prefix));
}

function codeOf({ comment }: Reflection): readonly string[] {
  const parts = comment?.getTags("@example").flatMap(({ content }) => content) ?? [];
  return parts.flatMap(({ kind, text }) => (kind === "code" ? text.replace(/^```\w*\n|\n?```$/g, "") : []));
}

/** Returns the declaration of a docstring. TypeDoc stores the docstring of a function with its signature. */
function declarationOf(reflection: Reflection | SignatureReflection): Reflection {
  return reflection.isSignature() ? reflection.parent : reflection;
}
