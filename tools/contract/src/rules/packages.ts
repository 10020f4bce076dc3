import type { DescFile } from "@bufbuild/protobuf";
import { methodsOf, operationName, ownFiles, placeOf, placeOfImport } from "../descriptors.ts";
import { optionOf } from "../openapi/option.ts";
import type { Rule } from "./rule.ts";

/** Public and private operations never share a package: a package is published whole or not at all. */
const visibilityOf: Readonly<Record<string, string>> = {
  "platform.v1": "VISIBILITY_PUBLIC",
  "platform.internal.v1": "VISIBILITY_PRIVATE",
};

export const packageVisibility: Rule = {
  id: "package-visibility",
  purpose:
    "platform.v1 holds public operations only, and platform.internal.v1 private ones: a package is published whole or not at all.",
  fix: "Move the operation to the package of its visibility.",
  *offences({ contract }) {
    for (const method of methodsOf(ownFiles(contract))) {
      const { visibility } = optionOf(method, "platform.options.v1.operation", contract);
      const packageName = method.parent.file.proto.package;
      const wanted = visibilityOf[packageName];
      const place = placeOf(method);
      if (wanted === undefined) {
        yield {
          place,
          message: `${operationName(method)} is in the package ${packageName}, and nothing says whether that is public or private`,
        };
      } else if (visibility !== undefined && visibility !== wanted) {
        yield { place, message: `${operationName(method)} is ${visibility}, but all of ${packageName} is ${wanted}` };
      }
    }
  },
};

export const publicImports: Rule = {
  id: "public-imports",
  purpose:
    "What is published imports nothing private: an import would publish it, or leave a package that does not build.",
  fix: "Move what both need to platform.v1, or keep it in platform.internal.v1 and do not use it here.",
  *offences({ contract }) {
    for (const file of ownFiles(contract).filter((own) => !isPrivate(own))) {
      for (const imported of file.dependencies) {
        if (!isPrivate(imported)) continue;
        const place = placeOfImport(file, imported.proto.name);
        yield { place, message: `${file.proto.name} is published, and imports the private ${imported.proto.name}` };
      }
    }
  },
};

function isPrivate({ proto }: DescFile): boolean {
  return proto.package.startsWith("platform.internal");
}
