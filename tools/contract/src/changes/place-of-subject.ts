import { readFileSync } from "node:fs";
import type { FileRegistry } from "@bufbuild/protobuf";
import { placeOf } from "../descriptors.ts";
import { type Place, placeIn, startOf } from "../finding.ts";
import { limitsFile, ratesFile } from "../lock/limits.ts";
import { type ReleasedContract, releasedLock } from "../released-contract.ts";
import { publicReasons } from "../rules/reason-values.ts";
import type { Sources } from "../sources.ts";
import type { Subject } from "./change.ts";

const headersFile = "tools/contract/src/openapi/headers.ts";
const headersSource = new URL("../openapi/headers.ts", import.meta.url);

/** Where to look at what changed. What is gone is shown at what it stood in, or else where it was released. */
export function placeOfSubject(
  [section, name = "", member = ""]: Subject,
  contract: FileRegistry,
  sources: Sources,
  released: ReleasedContract,
): Place {
  switch (section) {
    case "operations": {
      const [service = "", method] = name.split("/");
      const parent = contract.getService(service);
      const found = parent?.methods.find((each) => each.name === method) ?? parent;
      return found ? placeOf(found) : placeInText(releasedLock, released.text, `"${name}": {`);
    }
    case "messages": {
      const message = contract.getMessage(name);
      const found = message?.fields.find((field) => field.jsonName === member) ?? message;
      return found ? placeOf(found) : placeInText(releasedLock, released.text, `"${name}": {`);
    }
    case "reasons": {
      const reasons = contract.getEnum(publicReasons);
      const found = reasons?.values.find((value) => value.localName === name) ?? reasons;
      return found ? placeOf(found) : placeInText(releasedLock, released.text, `"${name}": {`);
    }
    case "limits": {
      const [limit = "", rate] = name.split(" ");
      const file = rate === undefined ? limitsFile : ratesFile;
      return placeInText(file, sources.get(file) ?? "", rate === undefined ? `  ${limit}: ` : `"${limit}": {`);
    }
    case "headers":
      return placeInText(headersFile, readFileSync(headersSource, "utf8"), `"${name}"`);
  }
}

function placeInText(file: string, text: string, words: string): Place {
  // The last one: an interface that names it stands above the values.
  const position = text.lastIndexOf(words);
  return position < 0 ? startOf(file) : placeIn(file, text, position + words.length - words.trimStart().length);
}
