import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Contract } from "../model/contract.ts";
import { type Finding, unjudged } from "../model/finding.ts";
import { encodedFiles } from "../model/read-image.ts";
import { type PackageApis, packageApisSchema } from "./package-apis.ts";

export const releasedFolder = "tools/contract/released";
const imageFile = `${releasedFolder}/contract.binpb`;
const apisFile = `${releasedFolder}/packages.json`;
export const releaseFile = `${releasedFolder}/release.json`;

export interface Release {
  /** Undefined: nothing was released yet, and this is a draft. */
  readonly version: string | undefined;
  readonly image: Uint8Array;
  readonly apis: PackageApis;
  readonly files: readonly Buffer[];
}

const releaseSchema = z.strictObject({ version: z.string().nullable(), digest: z.string() });

/** Reads what a tree or a commit records. @throws Error when a file is missing, cannot be parsed, or was edited by hand. */
export async function readRelease(read: (file: string) => Promise<Buffer>): Promise<Release> {
  const [image, apis, release] = await Promise.all([read(imageFile), read(apisFile), read(releaseFile)]);
  const { version, digest } = releaseSchema.parse(JSON.parse(release.toString()));
  if (digestOf(version, [image, apis]) !== digest) {
    throw new Error("the files do not match the digest in release.json");
  }
  return {
    version: version ?? undefined,
    image,
    apis: packageApisSchema.parse(JSON.parse(apis.toString())),
    files: [image, apis, release],
  };
}

export function areSame(release: Release, other: Release | undefined): boolean {
  return release.files.every((file, index) => other?.files[index]?.equals(file));
}

export function hasSameFiles(image: Uint8Array, contract: Contract): boolean {
  const [before, after] = [encodedFiles(image), encodedFiles(contract.image)];
  const published = [...contract.packages.values()].filter((found) => found.published).flatMap(({ files }) => files);
  return (
    published.every(({ path }) => before.has(path.replace(/^proto\//, ""))) &&
    [...before].every(([path, bytes]) => Buffer.compare(bytes, after.get(path) ?? Buffer.alloc(0)) === 0)
  );
}

/** The folders of the published packages, from the root of the workspace. */
export function foldersOf(contract: Contract): readonly string[] {
  const files = [...contract.packages.values()].filter(({ published }) => published).flatMap((found) => found.files);
  return [...new Set(files.map(({ path }) => dirname(path)))];
}

/** Says that nothing was compared, because what a release has recorded is not readable. `where` is empty for the tree. */
export function unusable(error: unknown, where = ""): Finding {
  const fault = error instanceof z.ZodError ? z.prettifyError(error) : String(error).replace(/^Error: /, "");
  const message =
    `The released contract in ${releasedFolder}${where} cannot be used: ${fault}.\n` +
    "Nothing was compared. Only `pnpm contract release` may write these files.\n" +
    `Fix: git checkout -- ${releasedFolder}`;
  return unjudged("baseline", releaseFile, message);
}

export function writeRelease(root: string, { version, image, apis }: Omit<Release, "files">): void {
  const files = {
    [imageFile]: image,
    [apisFile]: `${JSON.stringify(apis, undefined, 2)}\n`,
  };
  mkdirSync(join(root, releasedFolder), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
  const digest = digestOf(version ?? null, Object.values(files));
  writeFileSync(join(root, releaseFile), `${JSON.stringify({ version: version ?? null, digest }, undefined, 2)}\n`);
}

function digestOf(version: string | null, files: readonly (Uint8Array | string)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(version));
  for (const file of files) hash.update(createHash("sha256").update(file).digest());
  return hash.digest("hex");
}
