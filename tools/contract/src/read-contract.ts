import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { asJson, bufFindings } from "./buf/buf-findings.ts";
import { runBuf, startBuf } from "./buf/run-buf.ts";
import type { Finding } from "./finding.ts";

const build = ["build", "-o", "-#format=binpb"];

/** The descriptors of everything under proto/, or what keeps buf from building them. */
export function readContract(root: string): FileRegistry | { readonly fault: string } {
  const built = runBuf(root, build);
  return built.ok ? readImage(built.output) : { fault: built.report };
}

/** The same, beside whatever else is running, with the place of each fault. */
export async function buildContract(root: string): Promise<FileRegistry | { readonly faults: readonly Finding[] }> {
  const built = await startBuf(root, [...build, ...asJson]);
  return built.ok ? readImage(built.output) : { faults: bufFindings(built) };
}

/** @throws if the bytes are no image, or one that lacks a file which another of its files imports. */
export function readImage(bytes: Uint8Array): FileRegistry {
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
}
