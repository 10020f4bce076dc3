import type { DescFile, FileRegistry } from "@bufbuild/protobuf";
import { readSourceText, type SourceText } from "./source-text.ts";

/** One file of the contract, with what its readers need. */
export interface SourceFile {
  readonly desc: DescFile;
  readonly text: SourceText;
  readonly registry: FileRegistry;
}

export function readSourceFile(desc: DescFile, registry: FileRegistry): SourceFile {
  return { desc, registry, text: readSourceText(desc, spellingsIn(desc)) };
}

/** The JSON names of the fields that comments of a file may name in backticks. */
function spellingsIn(file: DescFile): ReadonlyMap<string, string> {
  return new Map(
    [file, ...file.dependencies]
      .flatMap(({ messages }) => messages)
      .flatMap(({ fields }) => fields)
      .map((field) => [field.name, field.jsonName]),
  );
}
