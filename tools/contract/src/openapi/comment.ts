import type { DescEnumValue, DescField, DescFile, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";

type Commented = DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/**
 * The comment of a descriptor as CommonMark: one line for each paragraph, and fields named in backticks spelled as in
 * JSON.
 */
export function commentOf(desc: Commented): string {
  const file = fileOf(desc);
  const spellings = new Map(
    [file, ...file.dependencies]
      .flatMap(({ messages }) => messages)
      .flatMap(({ fields }) => fields)
      .map((field) => [field.name, field.jsonName]),
  );
  return (getComments(desc).leading ?? "")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, " "))
    .join("\n\n")
    .replace(/`(\w+)`/g, (quoted, name: string) => `\`${spellings.get(name) ?? quoted.slice(1, -1)}\``);
}

/** The values that a comment documents for an open string: "documented values: owner, viewer (in a vault)." */
export function documentedValues(comment: string): readonly string[] {
  const [, list = ""] = /\bdocumented values?: (.+?)\.(?:\s|$)/.exec(comment) ?? [];
  return list
    .replace(/ \([^)]*\)/g, "")
    .split(", ")
    .filter((value) => value !== "");
}

function fileOf(desc: Commented): DescFile {
  return desc.kind === "message" || desc.kind === "service" ? desc.file : desc.parent.file;
}
