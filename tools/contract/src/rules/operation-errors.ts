import type { DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { isPublished, methodsOf, operationName, ownFiles, placeOf } from "../descriptors.ts";
import { commentOf } from "../openapi/comment.ts";
import { reasonValues } from "./reason-values.ts";
import type { Rule } from "./rule.ts";

const sentence = /\bErrors(?: besides those of every call)?: ([^.]+)/;

/** Integrators are told of the errors of every call in one place, and here of what comes on top. */
const publicWords = "Errors besides those of every call:";

/**
 * The reasons that the comment of an operation names after "Errors:". What stands in parentheses explains, and is not
 * read. Undefined when the comment has no such sentence.
 */
export function errorsNamedBy(method: DescMethod): readonly string[] | undefined {
  const [, list] = sentence.exec(commentOf(method).replace(/\([^)]*\)/g, "")) ?? [];
  return list?.match(/\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*\b/g) ?? undefined;
}

export const operationErrors: Rule = {
  id: "operation-errors",
  purpose:
    "The comment of every operation names the errors that callers must be ready for, and names none that is not.",
  fix: "End the comment with `Errors: REASON, REASON (when).`, on public operations with `Errors besides those of every call: …`. Add new reasons to the enum first.",
  *offences({ contract }) {
    const known = reasonNames(contract);
    for (const method of methodsOf(ownFiles(contract))) {
      const named = errorsNamedBy(method);
      const place = placeOf(method);
      if (named === undefined) {
        yield { place, message: `${operationName(method)} does not say how it fails: add "Errors: …" to its comment` };
      }
      if (isPublished(method.parent.file) && !commentOf(method).includes(publicWords)) {
        yield { place, message: `${operationName(method)} is public: say "${publicWords} …" in its comment` };
      }
      for (const name of named ?? []) {
        if (known.has(name)) continue;
        yield { place, message: `${operationName(method)} names the error ${name}, which is in no enum of reasons` };
      }
    }
  },
};

function reasonNames(contract: FileRegistry): ReadonlySet<string> {
  return new Set(reasonValues(contract).map((value) => value.localName));
}
