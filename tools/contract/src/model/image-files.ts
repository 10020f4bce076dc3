import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The packages of protobuf and protovalidate, which are not ours. */
export const foreign: ReadonlySet<string> = new Set(["google.protobuf", "buf.validate"]);

const { name: nameField, package: packageField, sourceCodeInfo } = FileDescriptorProtoSchema.field;

/** Returns our files in an image, encoded, by their paths. The same file in proto/ gives the same bytes. */
export function encodedFiles(image: Uint8Array): ReadonlyMap<string, Uint8Array> {
  return new Map(
    [...filesIn(image)].flatMap(({ path, isForeign, bytes }) => (isForeign ? [] : [[path, bytes] as const])),
  );
}

/** Leaves out the positions and comments of foreign files, because reading them takes longer than reading all of ours. */
export function withoutForeignSources(image: Uint8Array): Uint8Array {
  const kept = new BinaryWriter();
  for (const { isForeign, bytes } of filesIn(image)) {
    kept.tag(1, WireType.LengthDelimited).bytes(isForeign ? withoutSource(bytes) : bytes);
  }
  return kept.finish();
}

function* filesIn(image: Uint8Array) {
  const files = new BinaryReader(image);
  while (files.pos < files.len) {
    files.tag();
    const bytes = files.bytes();
    const file = new BinaryReader(bytes);
    let [path, owner] = ["", ""];
    while (file.pos < file.len && (path === "" || owner === "")) {
      const [field, type] = file.tag();
      if (field === nameField.number) path = file.string();
      else if (field === packageField.number) owner = file.string();
      else file.skip(type, field);
    }
    yield { path, isForeign: foreign.has(owner), bytes };
  }
}

function withoutSource(bytes: Uint8Array): Uint8Array {
  const [file, kept] = [new BinaryReader(bytes), new BinaryWriter()];
  while (file.pos < file.len) {
    const [field, type] = file.tag();
    const value = file.skip(type, field);
    if (field !== sourceCodeInfo.number) kept.tag(field, type).raw(value);
  }
  return kept.finish();
}
