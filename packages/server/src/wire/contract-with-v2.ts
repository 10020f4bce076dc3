import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type Contract, readContract } from "../contract/contract.js";
import { descriptorSet } from "../gen/descriptor-set.js";

/** Names and texts of v1, and those of v2. They have the same length, so that they can be replaced in a binary message. */
const changes = [
  ["platform.v1", "platform.v2"],
  ["platform/v1/", "platform/v2/"],
  ["DeleteItem", "RemoveItem"],
  ["contain the item", "possess the item"],
] as const;

/** Reads a contract that has platform.v2 next to platform.v1, where DeleteItem is called RemoveItem. */
export function contractWithV2(): Contract {
  const v1 = base64Decode(descriptorSet);
  const text = changes.reduce(
    (changed, [before, after]) => changed.replaceAll(before, after),
    Buffer.from(v1).toString("latin1"),
  );
  const files = fromBinary(FileDescriptorSetSchema, v1);
  const v2 = fromBinary(FileDescriptorSetSchema, Buffer.from(text, "latin1"));
  files.file.push(...v2.file.filter(({ name }) => name.startsWith("platform/v2/")));
  return readContract(base64Encode(toBinary(FileDescriptorSetSchema, files)));
}
