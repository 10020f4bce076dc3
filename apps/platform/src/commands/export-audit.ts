import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorCode } from "@platform-rpc/front/errors";
import type { Settings } from "../settings/settings.js";
import { CommandError, writeErrorOf } from "./command-output.js";
import { type AuditEntry, type AuditPart, readAuditTrail } from "./read-audit-trail.js";

export interface ExportAuditOptions {
  /** Only records of data of this tenant. */
  readonly tenant?: string;
  /** Only records from this time on, in milliseconds since the Unix epoch. */
  readonly from?: number;
  /** Only records before this time. */
  readonly to?: number;
}

/** @param target the path of a new file, or the standard output. @throws CommandError, SettingsError */
export async function exportAudit(
  settings: Settings,
  target: string | Writable,
  options: ExportAuditOptions,
): Promise<string[]> {
  const counts = { rows: 0, unsealed: 0 };
  const lines = Readable.from(selectLines(readAuditTrail(settings), options, counts));
  if (typeof target !== "string") {
    // A reader such as `head` may end before everything is written.
    await pipeline(lines, target, { end: false }).catch((error: unknown) => {
      if (errorCode(error) !== "EPIPE") throw writeErrorOf(error, "The export was not written to standard output.");
    });
    return [];
  }
  const path = resolve(target);
  const handle = await open(path, "wx", 0o600).catch((error: unknown) => {
    throw new CommandError(`The export ${path} was not made. ${whyNot(error)}`);
  });
  try {
    await pipeline(lines, handle.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    throw writeErrorOf(error, `The export was not written to ${path}.`);
  }
  const unsealed =
    counts.unsealed === 0 ? "" : ` ${counts.unsealed.toLocaleString("en")} newer records are not sealed yet.`;
  return [`Exported: ${counts.rows.toLocaleString("en")} records to ${path}.${unsealed}`];
}

/** Yields the lines of each seal that covers a selected record: all of its records, so that its digest can be verified, then the seal. */
async function* selectLines(
  trail: AsyncIterable<AuditPart>,
  { tenant, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: ExportAuditOptions,
  counts: { rows: number; unsealed: number },
): AsyncGenerator<string> {
  const waiting = new Map<string, { lines: string[]; selected: boolean }>();
  const select = (entry: AuditEntry): readonly string[] => {
    const { subjectTenantId } = "seal" in entry ? entry.seal : entry.row;
    if (tenant !== undefined && subjectTenantId !== tenant) return [];
    const group = waiting.get(subjectTenantId) ?? { lines: [], selected: false };
    group.lines.push(entry.line);
    if ("seal" in entry) {
      waiting.delete(subjectTenantId);
      counts.rows += group.selected ? group.lines.length - 1 : 0;
      return group.selected ? group.lines : [];
    }
    group.selected ||= entry.row.at >= from && entry.row.at < to;
    waiting.set(subjectTenantId, group);
    return [];
  };
  for await (const { entries, unsealed } of trail) {
    const lines = entries.flatMap(select);
    counts.unsealed = unsealed;
    if (lines.length > 0) yield `${lines.join("\n")}\n`;
  }
}

function whyNot(error: unknown): string {
  if (errorCode(error) === "EEXIST") return "The file already exists and is not overwritten. Choose another name.";
  return `${error instanceof Error ? error.message : error}. Check that its folder exists and that this user can write to it.`;
}
