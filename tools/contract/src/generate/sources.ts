import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Contract } from "../model/contract.ts";

/** The generators of Connect-ES v1 have the same names as those of v2, so they must be found first. */
const pluginsOfV1 = fileURLToPath(new URL("../../../../packages/types-connect-v1/node_modules/.bin", import.meta.url));

/** One run of `buf generate`. */
export interface Template {
  /** The file with the plugins. */
  readonly file: string;
  /** Folders in which plugins are looked up first. */
  readonly plugins: readonly string[];
  /** The proto files to generate from. */
  readonly paths: readonly string[];
}

/** A file that contains the descriptors of some proto files, with all of their options. */
export interface DescriptorSet {
  readonly file: string;
  readonly paths: readonly string[];
}

/** The templates, in the root of the workspace. */
export const templateFiles = [
  "buf.gen.yaml",
  "buf.gen.internal.yaml",
  "buf.gen.server.yaml",
  "buf.gen.v1.yaml",
] as const;

/** Returns each template with its proto files, which include every platform.v<n>. */
export function templatesOf(contract: Contract): readonly Template[] {
  const [types, internal, server, connectV1] = templateFiles;
  const published = typedFiles(contract, /^(?:platform\.v\d+|google\.rpc)$/);
  const publicPaths = [...published, "proto/platform/options/v1/operation.proto"];
  return [
    { file: types, plugins: [], paths: publicPaths },
    { file: internal, plugins: [], paths: ["proto/platform/internal"] },
    { file: server, plugins: [], paths: ["proto/platform/options"] },
    { file: connectV1, plugins: [pluginsOfV1], paths: publicPaths },
  ];
}

/** Returns the descriptor sets that servers load at run time: the generated messages contain no constraints or error texts. */
export function descriptorSetsOf(contract: Contract): readonly DescriptorSet[] {
  const versions = [...contract.packages.values()].filter(({ name }) => /^platform\.v\d+$/.test(name));
  const folders = new Set(versions.flatMap(({ files }) => files.map(({ path }) => dirname(path))));
  return [
    { file: "packages/server/src/gen/descriptor-set.ts", paths: [...folders, "proto/platform/options"] },
    { file: "packages/types-internal/src/gen/descriptor-set.ts", paths: ["proto/platform"] },
  ];
}

/** Returns the files that define a type or a service: no code is generated from a file with only options. */
function typedFiles({ services, messages, enums }: Contract, packages: RegExp): readonly string[] {
  const typed = [...services.values(), ...messages.values(), ...enums.values()];
  return [...new Set(typed.filter((part) => packages.test(part.package)).map(({ place }) => place.file))].sort();
}
