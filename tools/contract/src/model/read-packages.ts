import type { Package } from "./contract.ts";
import { headersOption, limitsOption, optionNames, readOption } from "./options.ts";
import { startOf } from "./place.ts";
import type { SourceFile } from "./source-file.ts";

const packageClause = [2];
const fileOptions = [8];

/** Reads the packages of some files, in the order of the files. */
export function readPackages(files: readonly SourceFile[]): readonly Package[] {
  const names = [...new Set(files.map(({ desc }) => desc.proto.package))];
  return names.map((name) => {
    const own = files.filter(({ desc }) => desc.proto.package === name);
    const described = own.find(({ text }) => text.commentAt(packageClause) !== "") ?? own[0];
    const limited = own.find((file) => limitsOf(file) !== undefined);
    return {
      name,
      place: described?.text.placeAt(packageClause) ?? startOf("proto"),
      comment: described?.text.commentAt(packageClause) ?? "",
      deprecated: own.some(({ desc }) => desc.deprecated),
      files: own.map(readFile),
      published: !name.startsWith("platform.internal."),
      limits: limited && limitsOf(limited),
      limitPlaces: limited === undefined ? {} : placesOf(limited, optionNames.limits),
      requestHeaders: own.flatMap((file) => headersOf(file, "request")),
      responseHeaders: own.flatMap((file) => headersOf(file, "response")),
    };
  });
}

function readFile({ desc, text }: SourceFile): Package["files"][number] {
  return {
    path: `proto/${desc.proto.name}`,
    imports: desc.dependencies.map((imported) => ({
      file: `proto/${imported.proto.name}`,
      package: imported.proto.package,
      place: text.placeAt([3, desc.proto.dependency.indexOf(imported.proto.name)]),
    })),
  };
}

function limitsOf({ desc, registry }: SourceFile) {
  return readOption(desc, optionNames.limits, limitsOption, registry);
}

function headersOf(file: SourceFile, kind: "request" | "response") {
  const headers = readOption(file.desc, optionNames.headers, headersOption, file.registry)?.[kind] ?? [];
  const place = placesOf(file, optionNames.headers)[kind] ?? file.text.placeAt(packageClause);
  return headers.map((header) => ({ ...header, place }));
}

function placesOf({ text, registry }: SourceFile, option: string) {
  return text.optionPlacesAt(fileOptions, registry.getExtension(option));
}
