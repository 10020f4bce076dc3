import { type ProjectReflection, type Reflection, ReflectionKind, type SignatureReflection } from "typedoc";

/** A block of code below `@example` in a docstring. */
export interface Example {
  /** The full name of its declaration, such as "@platform-rpc/client.createPlatformClient". */
  readonly of: string;
  readonly code: string;
  /** The expected output: the comment on the line after each `console.log`. */
  readonly expected: readonly string[];
}

/** Returns every example of the public declarations. */
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
  const callables = project.getReflectionsByKind(ReflectionKind.Function | ReflectionKind.Class);
  return callables.map((callable) => callable.getFullName()).filter((name) => name.startsWith(packageName));
}

function codeOf({ comment }: Reflection): readonly string[] {
  const parts = comment?.getTags("@example").flatMap(({ content }) => content) ?? [];
  return parts.flatMap(({ kind, text }) => (kind === "code" ? text.replace(/^```\w*\n|\n?```$/g, "") : []));
}

/** Returns the declaration of a docstring. TypeDoc stores the docstring of a function with its signature. */
function declarationOf(reflection: Reflection | SignatureReflection): Reflection {
  return reflection.isSignature() ? reflection.parent : reflection;
}
