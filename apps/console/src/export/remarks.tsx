import { omittedFiles } from "@platform-rpc/items/bitwarden-json";
import { findingInShort } from "@platform-rpc/items/vault/memory";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import type { ExportFormat } from "./make-file.js";

/** Returns whether an item is in the file: it can be opened, and the person has signed it. */
export function isExported({ content }: ItemRow): boolean {
  return content?.fields !== undefined && !content.isUnverified;
}

interface RemarksProps {
  readonly rows: readonly ItemRow[];
  readonly format: ExportFormat;
}

/** Says which items are not in the file, or in another state than the person saw. */
export function Remarks({ rows, format }: RemarksProps) {
  const closed = rows.filter((row) => !isExported(row));
  const exported = rows.filter(isExported);
  const doubts = exported.flatMap(doubtIn);
  return (
    <>
      <Remark listed={closed.map(whyClosed)}>
        {`${countOf(closed)} will not be in the file: not verified, or cannot be opened.`}
      </Remark>
      <Remark listed={doubts}>
        {`${countOf(doubts)} will be in the file in another state than you saw: a backup may have been restored, or the server withholds a change.`}
      </Remark>
      {format === "bitwarden-json" && (
        <Remark listed={exported.flatMap(filesIn)}>
          This format has no place for files. Save these from their items:
        </Remark>
      )}
    </>
  );
}

interface RemarkProps {
  /** The items, or files, and why they are listed. Without any, there is nothing to say. */
  readonly listed: readonly string[];
  readonly children: string;
}

function Remark({ listed, children }: RemarkProps) {
  return (
    listed.length > 0 && (
      <div className="notice">
        <p>{children}</p>
        <ul>
          {listed.map((words, index) => (
            <li key={index} dir="auto">
              {words}
            </li>
          ))}
        </ul>
      </div>
    )
  );
}

function whyClosed({ title, content }: ItemRow): string {
  return `${title} (${content?.isUnverified ? "not verified" : "cannot be opened"})`;
}

function doubtIn({ title, content }: ItemRow): readonly string[] {
  const finding = content?.finding;
  if (finding === undefined) return [];
  const { what, sent, seen } = finding;
  return [`${title} (${findingInShort[what].toLowerCase()}, version ${sent}, you saw ${seen})`];
}

function filesIn({ item: { kind }, content }: ItemRow): readonly string[] {
  if (content?.fields === undefined) return [];
  return omittedFiles([{ kind, content }]).map(({ title, fileName }) => `${fileName}, in “${title}”`);
}
