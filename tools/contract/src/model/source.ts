import type { DescEnum, DescExtension, DescFile, DescService, Registry } from "@bufbuild/protobuf";
import type { DescriptorProto, EnumDescriptorProto } from "@bufbuild/protobuf/wkt";
import type { Documented, OptionPlaces } from "./contract.ts";
import { type Place, startOf } from "./finding.ts";
import { type Optioned, type OptionName, optionNamed } from "./options.ts";

type Declaration = Exclude<Optioned, DescFile> | DescEnum | DescExtension | DescService;

/** Field numbers and indexes in FileDescriptorProto, as source_code_info spells a path. */
type Path = readonly number[];
/** The package clause, and the imports. */
export const clauses = { package: [2], imported: (index: number) => [3, index] } as const;
/** The numbers of the fields of descriptors that contain declarations. */
const numbers = {
  ...{ message: 4, enum: 5, service: 6, extension: 7 },
  ...{ field: 2, nestedMessage: 3, nestedEnum: 4, nestedExtension: 6, oneof: 8 },
  ...{ value: 2, method: 2 },
};
/** The numbers of the options in the descriptors of declarations that have our options. */
const optionsOf: Readonly<Record<string, number>> = { file: 8, enum_value: 3, rpc: 4 };

export interface Source {
  readonly desc: DescFile;
  readonly registry: Registry;
  documented(desc: Declaration): Documented;
  /** The start of the file when the image contains no positions. */
  placeAt(path: Path): Place;
  commentAt(path: Path): string;
  optionPlaces(desc: Declaration | DescFile, name: OptionName): OptionPlaces;
}

export function readSource(desc: DescFile, registry: Registry): Source {
  const { proto } = desc;
  const file = `proto/${proto.name}`;
  const paths = pathsIn(desc);
  const spellings = spellingsIn(desc);
  // A declaration with several options has a location for each: report the first.
  const locations = new Map(
    (proto.sourceCodeInfo?.location ?? []).toReversed().map((each) => [each.path.join(), each]),
  );
  const found = (path: Path): Place | undefined => {
    const [line, column] = locations.get(path.join())?.span ?? [];
    return line === undefined || column === undefined ? undefined : { file, line: line + 1, column: column + 1 };
  };
  const placeAt = (path: Path) => found(path) ?? startOf(file);
  const commentAt = (path: Path) => commonMark(locations.get(path.join())?.leadingComments ?? "", spellings);
  return {
    desc,
    registry,
    placeAt,
    commentAt,
    documented(declaration) {
      const path = paths.get(declaration.proto) ?? [];
      const deprecated = "deprecated" in declaration && declaration.deprecated;
      return { place: placeAt(path), comment: commentAt(path), deprecated };
    },
    optionPlaces(declaration, name) {
      const extension = optionNamed(name, registry);
      const option = [
        ...(paths.get(declaration.proto) ?? []),
        optionsOf[declaration.kind] ?? 0,
        extension?.number ?? 0,
      ];
      const places = extension?.message?.fields.flatMap(({ number, jsonName }) => {
        const place = found([...option, number]) ?? found([...option, number, 0]) ?? found(option);
        return place === undefined ? [] : [[jsonName, place] as const];
      });
      return Object.fromEntries(places ?? []);
    },
  };
}

function pathsIn({ proto }: DescFile): ReadonlyMap<object, Path> {
  const paths = new Map<object, Path>();
  const add = (declared: readonly object[], path: Path) => {
    for (const [index, each] of declared.entries()) paths.set(each, [...path, index]);
  };
  const addEnums = (enums: readonly EnumDescriptorProto[], path: Path) => {
    add(enums, path);
    for (const [index, { value }] of enums.entries()) add(value, [...path, index, numbers.value]);
  };
  const addMessages = (messages: readonly DescriptorProto[], path: Path) => {
    add(messages, path);
    for (const [index, message] of messages.entries()) {
      const own = [...path, index];
      add(message.field, [...own, numbers.field]);
      add(message.oneofDecl, [...own, numbers.oneof]);
      add(message.extension, [...own, numbers.nestedExtension]);
      addEnums(message.enumType, [...own, numbers.nestedEnum]);
      addMessages(message.nestedType, [...own, numbers.nestedMessage]);
    }
  };
  addMessages(proto.messageType, [numbers.message]);
  addEnums(proto.enumType, [numbers.enum]);
  add(proto.extension, [numbers.extension]);
  add(proto.service, [numbers.service]);
  for (const [index, { method }] of proto.service.entries()) add(method, [numbers.service, index, numbers.method]);
  return paths;
}

/** The JSON names of the fields that comments of a file may name in backticks. */
function spellingsIn(file: DescFile): ReadonlyMap<string, string> {
  const messages = [file, ...file.dependencies].flatMap((each) => each.messages);
  return new Map(messages.flatMap(({ fields }) => fields).map(({ name, jsonName }) => [name, jsonName]));
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
