import { type ProjectReflection, type Reflection, ReflectionKind, type SignatureReflection } from "typedoc";

/** A block of code below `@example` in a docstring. */
export interface Example {
  /** What it is an example of: "@platform-rpc/client.createPlatformClient". */
  readonly of: string;
  readonly code: string;
  /** What it says that it prints: the comment on the line after each `console.log`. */
  readonly promised: readonly string[];
}

/** Every example of a public declaration. */
export function examplesOf(project: ProjectReflection): readonly Example[] {
  return Object.values(project.reflections).flatMap((reflection) =>
    codeOf(reflection).map((code) => ({
      of: declarationOf(reflection).getFullName(),
      code,
      promised: [...code.matchAll(/^ *console\.log\(.*\);.*\n *\/\/ (.*)$/gm)].map(([, line = ""]) => line),
    })),
  );
}

/** The functions and classes of a package, by the names that examples have. */
export function callablesOf(project: ProjectReflection, packageName: string): readonly string[] {
  const callables = project.getReflectionsByKind(ReflectionKind.Function | ReflectionKind.Class);
  return callables.map((callable) => callable.getFullName()).filter((name) => name.startsWith(packageName));
}

function codeOf({ comment }: Reflection): readonly string[] {
  const parts = comment?.getTags("@example").flatMap(({ content }) => content) ?? [];
  return parts.flatMap(({ kind, text }) => (kind === "code" ? text.replace(/^```\w*\n|\n?```$/g, "") : []));
}

/** The docstring of a function is kept with its signature. */
function declarationOf(reflection: Reflection | SignatureReflection): Reflection {
  return reflection.isSignature() ? reflection.parent : reflection;
}
