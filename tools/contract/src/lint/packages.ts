import { operationRule, packageRule, type Rule } from "./rule.ts";

const publicPackage = /^platform\.v[1-9]\d*$/;
const privatePackage = /^platform\.(?!options\.)[a-z]+\.v[1-9]\d*$/;

export const packageRules: readonly Rule[] = [
  operationRule(
    {
      id: "package-visibility",
      purpose: "A package contains public operations or private ones: it is published whole or not at all.",
      fix: "Move public operations to platform.v<n> and private ones to platform.<area>.v<n>, such as platform.internal.v1.",
    },
    function* ({ package: name, visibility }) {
      const wanted = publicPackage.test(name) ? "public" : privatePackage.test(name) ? "private" : undefined;
      if (wanted === undefined) yield `is in the package ${name}, which is neither public nor private`;
      else if (visibility !== "unspecified" && visibility !== wanted) {
        yield [`is ${visibility} in the ${wanted} package ${name}`, "visibility"];
      }
    },
  ),
  packageRule(
    {
      id: "public-imports",
      purpose:
        "Published files import nothing private, and nothing of another version: a version is published and removed as a whole.",
      fix: "Move what both need to the package that imports it, or copy it.",
    },
    function* ({ name, files, published }, { packages }) {
      for (const { file, package: imported, place } of published ? files.flatMap(({ imports }) => imports) : []) {
        if (packages.get(imported)?.published === false) {
          yield [`is published and imports the private ${file}`, place];
        } else if (publicPackage.test(name) && publicPackage.test(imported) && name !== imported) {
          yield [`imports ${file} of another version`, place];
        }
      }
    },
  ),
  packageRule(
    {
      id: "package-limits",
      purpose: "Every public package states the default limits and the headers of its calls.",
      fix: "Add the options (platform.options.v1.limits) and (platform.options.v1.headers) to one file of the package.",
    },
    function* ({ name, limits, requestHeaders, responseHeaders }) {
      if (!publicPackage.test(name)) return;
      if (limits === undefined) yield "has no limits";
      if (requestHeaders.length === 0 || responseHeaders.length === 0) yield "has no headers";
    },
  ),
];
