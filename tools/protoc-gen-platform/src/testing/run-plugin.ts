import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, fromBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { plugin } from "../plugin.ts";

const workspace = fileURLToPath(new URL("../../../..", import.meta.url));
const fileName = "platform/v1/items.proto";

/** Compiles items.proto with the options of this workspace. */
export function compileItems() {
  const root = mkdtempSync(join(tmpdir(), "protoc-gen-platform-"));
  try {
    for (const folder of ["buf/validate", "platform/options"]) {
      cpSync(join(workspace, "proto", folder), join(root, folder), { recursive: true });
    }
    cpSync(new URL("items.proto", import.meta.url), join(root, fileName));
    const buf = join(workspace, "node_modules/.bin/buf");
    return fromBinary(FileDescriptorSetSchema, execFileSync(buf, ["build", "-o", "-#format=binpb"], { cwd: root }));
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Runs the plugin on items.proto, and on more files. Returns the generated files by name. */
export function runPlugin(
  { file: protoFile }: ReturnType<typeof compileItems>,
  options: string,
  ...more: readonly string[]
): ReadonlyMap<string, string> {
  const parameter = `target=ts,${options}`;
  const request = create(CodeGeneratorRequestSchema, { parameter, fileToGenerate: [fileName, ...more], protoFile });
  return new Map(plugin.run(request).file.map(({ name, content }) => [name, content]));
}

/** The names of the files in an encoded descriptor set, and whether they contain comments. */
export function filesIn(base64: string) {
  const set = fromBinary(FileDescriptorSetSchema, Buffer.from(base64, "base64"));
  return set.file.map(({ name, sourceCodeInfo }) => ({ name, comments: sourceCodeInfo !== undefined }));
}
