import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { Contract, Message } from "./contract.ts";
import { readEnums, readExtensions, readMessages } from "./read-messages.ts";
import { readPackages } from "./read-packages.ts";
import { readServices } from "./read-services.ts";
import { readSourceFile } from "./source-file.ts";

const foreign: ReadonlySet<string> = new Set(["google.protobuf", "buf.validate"]);

/**
 * Reads the contract from a buf image: all packages but protobuf's own and buf.validate.
 *
 * @throws Error when the bytes are not an image, or when the image lacks a file that another one imports.
 */
export function readImage(image: Uint8Array): Contract {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const files = [...registry.files]
    .filter(({ proto }) => !foreign.has(proto.package))
    .map((desc) => readSourceFile(desc, registry));
  const services = files.map(readServices);
  const operations = services.flatMap((found) => found.operations);
  const enums = files.flatMap(readEnums);
  const messages = files.flatMap(readMessages);
  const details = enums.flatMap(({ values }) => values.flatMap(({ reason }) => reason?.details ?? []));
  const sent = reachable(
    messages,
    operations.map(({ request }) => request),
  );
  const received = reachable(messages, [...operations.map(({ response }) => response), ...details]);
  return {
    packages: byName(readPackages(files)),
    services: byName(services.flatMap((found) => found.services)),
    operations: byName(operations),
    messages: byName(
      messages.map((message) => ({
        ...message,
        sent: sent.has(message.name),
        received: received.has(message.name),
      })),
    ),
    enums: byName(enums),
    extensions: byName(files.flatMap(readExtensions)),
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
