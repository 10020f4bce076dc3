import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescFile,
  DescMessage,
  DescMethod,
  DescService,
  FileRegistry,
} from "@bufbuild/protobuf";
import { type Place, startOf } from "./finding.ts";

export type Placed = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/** What integrators get: the packages that a release promises. */
export function isPublished({ proto }: DescFile): boolean {
  return /^platform\.(?:options\.)?v\d+$/.test(proto.package) || proto.package === "google.rpc";
}

/** The files that are ours: neither protobuf's own nor those of other people. */
export function ownFiles(contract: FileRegistry): readonly DescFile[] {
  return [...contract.files].filter((file) => isPublished(file) || file.proto.package.startsWith("platform."));
}

export function methodsOf(files: readonly DescFile[]): readonly DescMethod[] {
  return files.flatMap((file) => file.services).flatMap((service) => service.methods);
}

/** The messages of some files, nested ones included, but not those that stand for the entries of a map. */
export function messagesOf(files: readonly DescFile[]): readonly DescMessage[] {
  const nested = (message: DescMessage): readonly DescMessage[] => [message, ...message.nestedMessages.flatMap(nested)];
  return files.flatMap((file) => file.messages).flatMap(nested);
}

/** The messages that callers send: requests, and what they hold. */
export function requestMessages(methods: readonly DescMethod[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage) => {
    if (found.has(message) || message.file.proto.package === "google.protobuf") return;
    found.add(message);
    for (const { message: held } of message.fields) {
      if (held !== undefined) visit(held);
    }
  };
  for (const method of methods) visit(method.input);
  return found;
}

/** `platform.v1.VaultService/DeleteItem`. */
export function operationName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** `platform.v1.Item.itemId`. */
export function fieldName(field: DescField): string {
  return `${field.parent.typeName}.${field.jsonName}`;
}

/** Where a descriptor stands in its file: at the start of it, when the image carries no positions. */
export function placeOf(desc: Placed): Place {
  const file =
    desc.kind === "field" || desc.kind === "rpc" || desc.kind === "enum_value" ? desc.parent.file : desc.file;
  return spanAt(file, pathOf(desc));
}

/** Where the import of another file stands. */
export function placeOfImport(file: DescFile, imported: string): Place {
  return spanAt(file, [3, file.proto.dependency.indexOf(imported)]);
}

function spanAt(file: DescFile, path: readonly number[]): Place {
  const wanted = path.join();
  const span = file.proto.sourceCodeInfo?.location.find((location) => location.path.join() === wanted)?.span;
  const name = `proto/${file.proto.name}`;
  if (span === undefined) return startOf(name);
  const [line = 0, column = 0] = span;
  return { file: name, line: line + 1, column: column + 1 };
}

/** The path of a descriptor in its file, made of the field numbers of descriptor.proto. */
function pathOf(desc: Placed): readonly number[] {
  switch (desc.kind) {
    case "message": {
      if (desc.parent) return [...pathOf(desc.parent), 3, desc.parent.proto.nestedType.indexOf(desc.proto)];
      return [4, desc.file.proto.messageType.indexOf(desc.proto)];
    }
    case "enum": {
      if (desc.parent) return [...pathOf(desc.parent), 4, desc.parent.proto.enumType.indexOf(desc.proto)];
      return [5, desc.file.proto.enumType.indexOf(desc.proto)];
    }
    case "service":
      return [6, desc.file.proto.service.indexOf(desc.proto)];
    case "field":
      return [...pathOf(desc.parent), 2, desc.parent.proto.field.indexOf(desc.proto)];
    case "enum_value":
      return [...pathOf(desc.parent), 2, desc.parent.proto.value.indexOf(desc.proto)];
    case "rpc":
      return [...pathOf(desc.parent), 2, desc.parent.proto.method.indexOf(desc.proto)];
  }
}
