import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileRegistry } from "@bufbuild/protobuf";
import { type Finding, unjudged } from "./finding.ts";
import { lockDescriptors } from "./lock/lock-contract.ts";
import { printJson } from "./lock/print.ts";
import { type Lock, lockSchema } from "./lock/schema.ts";
import { wordless } from "./lock/wordless.ts";
import { readImage } from "./read-contract.ts";

/** The released contract, from the root of the workspace: what buf compares with, and what the lock adds to it. */
export const releasedImage = "tools/contract/released/platform-v1.binpb";
export const releasedLock = "tools/contract/released/contract.lock.json";

/** What a release promises. platform.internal is not among it: it may change with every commit. */
export const releasedPaths = ["proto/platform/v1", "proto/platform/options/v1", "proto/google/rpc"];

export interface ReleasedContract {
  readonly lock: Lock;
  /** The lock as it stands in its file. */
  readonly text: string;
}

/** Reads what was released, or says why nothing can be compared with it. */
export function readReleased(root: string): ReleasedContract | { readonly faults: readonly Finding[] } {
  const image = attempt(() => readReleasedImage(join(root, releasedImage)));
  const released = attempt(() => readReleasedLock(join(root, releasedLock)));
  const faults = [
    ...("fault" in image ? [cannotRead(releasedImage, image.fault)] : []),
    ...("fault" in released ? [cannotRead(releasedLock, released.fault)] : []),
  ];
  if ("fault" in image || "fault" in released) return { faults };
  const fromImage = printJson(wordless(lockDescriptors(image.value)));
  if (fromImage === printJson(wordless(released.value.lock))) return released.value;
  return { faults: [cannotRead(releasedLock, `it is not the lock of ${releasedImage}`)] };
}

function cannotRead(file: string, fault: string): Finding {
  const message =
    `The released contract, ${file}, cannot be used: ${fault}.\n` +
    `Nothing was compared, and nothing has passed. Bring it back: git checkout -- ${file}`;
  return unjudged("baseline", file, message);
}

/** To buf an empty image is a contract of no files, with which everything is compatible. */
function readReleasedImage(path: string): FileRegistry {
  const contract = readImage(readFileSync(path));
  const services = [...contract.files].flatMap((file) => file.services);
  if (services.some((service) => service.typeName.startsWith("platform.v1."))) return contract;
  throw new Error("it holds no service of platform.v1");
}

function readReleasedLock(path: string): ReleasedContract {
  const text = readFileSync(path, "utf8");
  const parsed = lockSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error("it has not the shape of a lock");
  return { lock: parsed.data, text };
}

function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly fault: string } {
  try {
    return { value: read() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
