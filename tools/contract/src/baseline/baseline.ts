import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Contract } from "../model/contract.ts";
import { type Finding, unjudged } from "../model/finding.ts";
import { encodedFiles } from "../model/image-files.ts";
import { readImage } from "../model/read-image.ts";
import { type PackageApis, packageApisSchema } from "./package-apis.ts";

/** The released contract, from the root of the workspace. */
export const releasedFolder = "tools/contract/released";
export const releasedImage = `${releasedFolder}/contract.binpb`;
const apisFile = `${releasedFolder}/packages.json`;
export const releaseFile = `${releasedFolder}/release.json`;

/** The released contract and APIs, which the current ones are compared with. */
export interface Baseline {
  /** The version that was released. Undefined: nothing was released yet, and the baseline is a draft. */
  readonly version: string | undefined;
  readonly contract: Contract;
  readonly apis: PackageApis;
}

/** The folders of the published packages, from the root of the workspace. */
export function foldersOf(contract: Contract): readonly string[] {
  const files = [...contract.packages.values()].filter(({ published }) => published).flatMap((found) => found.files);
  return [...new Set(files.map(({ path }) => dirname(path)))];
}

const releaseSchema = z.strictObject({ version: z.string().nullable(), digest: z.string() });

export function parseRelease(text: string): { readonly version: string | undefined } {
  return { version: releaseSchema.parse(JSON.parse(text)).version ?? undefined };
}

/**
 * Reads the baseline. Its contract is `current` if that has the same published files. Fails when a part is missing, unreadable, or was
 * edited by hand.
 */
export function readBaseline(root: string, current?: Contract): Baseline | { readonly faults: readonly Finding[] } {
  try {
    const { version, image, apis } = readVerified(root);
    return {
      version,
      contract: current !== undefined && hasSameFiles(image, current) ? current : readImage(image),
      apis: packageApisSchema.parse(JSON.parse(apis.toString())),
    };
  } catch (error) {
    return { faults: [unusable(error)] };
  }
}

function hasSameFiles(released: Uint8Array, current: Contract): boolean {
  const [before, after] = [encodedFiles(released), encodedFiles(current.image)];
  const published = [...current.packages.values()].filter((found) => found.published).flatMap(({ files }) => files);
  return (
    published.every(({ path }) => before.has(path.replace(/^proto\//, ""))) &&
    [...before].every(([path, bytes]) => Buffer.compare(bytes, after.get(path) ?? Buffer.alloc(0)) === 0)
  );
}

/**
 * Returns the released version. Undefined: nothing was released yet. A draft may have an older format.
 *
 * @throws Error when the baseline was edited by hand.
 */
export function readReleasedVersion(root: string): string | undefined {
  return existsSync(join(root, releaseFile)) ? readVerified(root).version : undefined;
}

function readVerified(root: string) {
  const read = (file: string) => readFileSync(join(root, file));
  const [image, apis] = [read(releasedImage), read(apisFile)];
  const { version, digest } = releaseSchema.parse(JSON.parse(read(releaseFile).toString()));
  if (digestOf(version, [image, apis]) !== digest) {
    throw new Error("the files do not match the digest in release.json");
  }
  return { version: version ?? undefined, image, apis };
}

export function unusable(error: unknown): Finding {
  const fault = error instanceof z.ZodError ? z.prettifyError(error) : String(error).replace(/^Error: /, "");
  const message =
    `The released contract in ${releasedFolder} cannot be used: ${fault}.\n` +
    "Nothing was compared. Only `pnpm contract release` may write these files.\n" +
    `Fix: git checkout -- ${releasedFolder}`;
  return unjudged("baseline", releaseFile, message);
}

/** Writes a baseline. The same files in proto/ give the same bytes. */
export function writeBaseline(
  root: string,
  { version, apis }: Pick<Baseline, "version" | "apis">,
  image: Uint8Array,
): void {
  const files = {
    [releasedImage]: image,
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
