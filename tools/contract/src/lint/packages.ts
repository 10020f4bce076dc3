import { operationRule, type Rule } from "./rule.ts";

const publicPackage = /^platform\.v[1-9]\d*$/;
const privatePackage = /^platform\.internal\.v[1-9]\d*$/;

export const packageRules: readonly Rule[] = [
  operationRule(
    {
      id: "package-visibility",
      purpose: "A package contains public operations or private ones: it is published whole or not at all.",
      fix: "Move public operations to platform.v<n> and private ones to platform.internal.v<n>.",
    },
    function* ({ package: name, visibility }) {
      const wanted = publicPackage.test(name) ? "public" : privatePackage.test(name) ? "private" : undefined;
      if (wanted === undefined) yield [`is in the package ${name}, which is neither public nor private`];
      else if (visibility !== "unspecified" && visibility !== wanted) {
        yield [`is ${visibility} in the ${wanted} package ${name}`, "visibility"];
      }
    },
  ),
  {
    id: "public-imports",
    purpose:
      "Published files import nothing private, and nothing of another version: a version is published and removed as a whole.",
    fix: "Move what both need to the package that imports it, or copy it.",
    *check(contract) {
      for (const { name, files, published } of contract.packages.values()) {
        for (const { file, package: imported, place } of published ? files.flatMap(({ imports }) => imports) : []) {
          if (contract.packages.get(imported)?.published === false) {
            yield { place, message: `${name} is published and imports the private ${file}` };
          } else if (publicPackage.test(name) && publicPackage.test(imported) && name !== imported) {
            yield { place, message: `${name} imports ${file} of another version` };
          }
        }
      }
    },
  },
  {
    id: "package-limits",
    purpose: "Every public package states the default limits and the headers of its calls.",
    fix: "Add the options (platform.options.v1.limits) and (platform.options.v1.headers) to one file of the package.",
    *check(contract) {
      for (const { name, place, limits, requestHeaders, responseHeaders } of contract.packages.values()) {
        if (!publicPackage.test(name)) continue;
        if (limits === undefined) yield { place, message: `${name} has no limits` };
        if (requestHeaders.length === 0 || responseHeaders.length === 0)
          yield { place, message: `${name} has no headers` };
      }
    },
  },
];
