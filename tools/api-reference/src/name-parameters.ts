import { type ProjectReflection, ReflectionKind, type SomeType } from "typedoc";

/** The name that TypeDoc gives to a parameter that the code destructures. */
const unnamed = "__namedParameters";

/** Names each destructured parameter after its type: `input` for `PutItemInput`, `options` for an object type. */
export function nameParameters(project: ProjectReflection): void {
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
