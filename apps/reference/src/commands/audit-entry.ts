import type { AuditSeal } from "@platform-rpc/server";
import * as z from "zod";
import { CommandError } from "./command-error.js";

const whole = z.int().min(0);
// A file may be from anyone, and names of tenants are printed.
const name = z.string().regex(/^\P{Cc}*$/u);
const lastTime = 8.64e15;
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const row = z.object({
  position: whole,
  at: z.int().min(-lastTime).max(lastTime),
  subjectTenantId: name,
  subject: z.string(),
  event: z.string(),
  operation: z.string(),
});

const seal = z.object({
  seal: z.object({
    subjectTenantId: name,
    previousPosition: whole,
    position: whole,
    rows: whole,
    month: name,
    previousDigest: digest,
    digest,
    previousTrail: digest,
    trail: digest,
  }),
});

/** A line of the audit trail. The digests cover the line of a row as it is. */
export type AuditEntry = { readonly line: string } & (
  | { readonly row: z.infer<typeof row> }
  | { readonly seal: AuditSeal }
);

/** Parses a line of the audit trail. @throws CommandError that names the place of the line */
export function parseAuditLine(line: string, place: string): AuditEntry {
  const parsed = seal.or(row).safeParse(parseJson(line));
  if (!parsed.success) {
    throw new CommandError(
      `${place} is not a line of an audit trail. Check that the file was made by \`export-audit\`.`,
    );
  }
  return "seal" in parsed.data ? { line, seal: parsed.data.seal } : { line, row: parsed.data };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
