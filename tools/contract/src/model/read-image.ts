import { createFileRegistry, fromBinary, fromJson, type Registry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { Contract, Encode, Message } from "./contract.ts";
import { foreign, withoutForeignSources } from "./image-files.ts";
import { readOperations, readPackages, readServices } from "./read-calls.ts";
import { readTypes } from "./read-types.ts";
import { readSource } from "./source.ts";

/**
 * Reads the contract from a buf image: all packages but protobuf's own and buf.validate.
 *
 * @throws Error when the bytes are not an image, or when the image lacks a file that another one imports.
 */
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
