import type { DescExtension, DescFile, DescMessage } from "@bufbuild/protobuf";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import type { OptionPlaces } from "./contract.ts";
import { type Place, startOf } from "./place.ts";

/** A path in FileDescriptorProto: field numbers and indexes, as source_code_info spells it. */
export type Path = readonly number[];

/** Places and comments of the declarations of one file. */
export interface SourceText {
  /** The start of the file when the image contains no positions. */
  placeAt(path: Path): Place;
  commentAt(path: Path): string;
  /** The places of the fields of an option, with the options message of the declaration at `path`. */
  optionPlacesAt(path: Path, extension: DescExtension | undefined): OptionPlaces;
}

type Location = NonNullable<FileDescriptorProto["sourceCodeInfo"]>["location"][number];

/** Reads a file's source_code_info. `spellings` are the JSON names of fields by their names. */
export function readSourceText({ proto }: DescFile, spellings: ReadonlyMap<string, string>): SourceText {
  const name = `proto/${proto.name}`;
  const locations = new Map<string, Location>();
  // A declaration with several options has a location for each: report the first.
  for (const location of proto.sourceCodeInfo?.location ?? []) {
    const key = location.path.join();
    if (!locations.has(key)) locations.set(key, location);
  }
  const placeAt = (path: Path): Place | undefined => {
    const [line, column] = locations.get(path.join())?.span ?? [];
    return line === undefined || column === undefined ? undefined : { file: name, line: line + 1, column: column + 1 };
  };
  return {
    placeAt: (path) => placeAt(path) ?? startOf(name),
    commentAt: (path) => commonMark(locations.get(path.join())?.leadingComments ?? "", spellings),
    optionPlacesAt(path, extension) {
      const option = [...path, extension?.number ?? 0];
      const fallback = placeAt(option);
      const places = messageOf(extension)?.fields.flatMap((field) => {
        const place = placeAt([...option, field.number]) ?? placeAt([...option, field.number, 0]) ?? fallback;
        return place === undefined ? [] : [[field.jsonName, place] as const];
      });
      return Object.fromEntries(places ?? []);
    },
  };
}

function messageOf(extension: DescExtension | undefined): DescMessage | undefined {
  return extension?.fieldKind === "message" ? extension.message : undefined;
}

/** One line for each paragraph; indented examples stay as they are. Fields in backticks are spelled as in JSON. */
function commonMark(comment: string, spellings: ReadonlyMap<string, string>): string {
  return comment
    .replace(/^ /gm, "")
    .split(/\n[ \t]*\n/)
    .map((paragraph) =>
      paragraph.startsWith("    ") ? paragraph.trimEnd() : paragraph.trim().replace(/\s*\n\s*/g, " "),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n")
    .replace(/`(\w+)`/g, (quoted, name: string) => `\`${spellings.get(name) ?? quoted.slice(1, -1)}\``);
}
