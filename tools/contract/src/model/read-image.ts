import { createFileRegistry, fromBinary, fromJson, type Registry, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { Contract, Encode, Message } from "./contract.ts";
import { isPrivate, readOperations, readPackages, readServices } from "./read-calls.ts";
import { readTypes } from "./read-types.ts";
import { readSource } from "./source.ts";

/** Reads all packages but protobuf's own and buf.validate. @throws Error when the bytes are no image, or it lacks an imported file. */
export function readImage(image: Uint8Array): Contract {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, withoutForeignSources(image)));
  const files = [...registry.files]
    .filter(({ proto }) => !foreign.has(proto.package))
    .map((desc) => readSource(desc, registry));
  const types = files.map(readTypes);
  const operations = files.flatMap(readOperations);
  const enums = types.flatMap((found) => found.enums);
  const messages = types.flatMap((found) => found.messages);
  const details = enums.flatMap(({ values }) => values.flatMap(({ reason }) => reason?.details ?? []));
  const sent = reachable(
    messages,
    operations.map(({ request }) => request),
  );
  const received = reachable(messages, [...operations.map(({ response }) => response), ...details]);
  return {
    image,
    encode: createEncoder(registry),
    packages: byName(readPackages(files)),
    services: byName(files.flatMap(readServices)),
    operations: byName(operations),
    messages: byName(
      messages.map((message) => ({
        ...message,
        sent: sent.has(message.name),
        received: received.has(message.name),
      })),
    ),
    enums: byName(enums),
    extensions: byName(types.flatMap((found) => found.extensions)),
  };
}

function createEncoder(registry: Registry): Encode {
  return (name, json) => {
    const schema = registry.getMessage(name);
    if (schema === undefined) throw new TypeError(`the contract does not contain the message ${name}`);
    return toBinary(schema, fromJson(schema, json, { registry }));
  };
}

function byName<Named extends { readonly name: string }>(list: readonly Named[]): ReadonlyMap<string, Named> {
  return new Map(list.map((named) => [named.name, named]));
}

/** Names of messages, and of what their fields contain. */
function reachable(messages: readonly Message[], roots: readonly string[]): ReadonlySet<string> {
  const known = new Map(messages.map((message) => [message.name, message]));
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { type } of known.get(name)?.fields ?? []) if (type.kind === "message") visit(type.name);
  };
  for (const root of roots) visit(root);
  return found;
}

/** The packages of protobuf and protovalidate, which are not ours. */
const foreign: ReadonlySet<string> = new Set(["google.protobuf", "buf.validate"]);

const { name: nameField, package: packageField, sourceCodeInfo } = FileDescriptorProtoSchema.field;

/** Returns our files in an image, encoded, by their paths. The same file in proto/ gives the same bytes. */
export function encodedFiles(image: Uint8Array): ReadonlyMap<string, Uint8Array> {
  return new Map(
    [...filesIn(image)].flatMap(({ path, owner, bytes }) => (foreign.has(owner) ? [] : [[path, bytes] as const])),
  );
}

/** Returns the image that a release records: without the private packages, which no published file imports. */
export function publishedImage(image: Uint8Array): Uint8Array {
  const published = [...filesIn(image)].filter(({ owner }) => !isPrivate(owner));
  return imageOf(published.map(({ bytes }) => bytes));
}

/** Leaves out the positions and comments of foreign files, because reading them takes longer than reading all of ours. */
function withoutForeignSources(image: Uint8Array): Uint8Array {
  return imageOf([...filesIn(image)].map(({ owner, bytes }) => (foreign.has(owner) ? withoutSource(bytes) : bytes)));
}

function imageOf(files: readonly Uint8Array[]): Uint8Array {
  const image = new BinaryWriter();
  for (const bytes of files) image.tag(1, WireType.LengthDelimited).bytes(bytes);
  return image.finish();
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
    yield { path, owner, bytes };
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
