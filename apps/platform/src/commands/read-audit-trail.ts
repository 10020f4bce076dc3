import { createReadStream, existsSync } from "node:fs";
import { ConnectError } from "@connectrpc/connect";
import { createSqliteStorage, type Storage } from "@platform-rpc/server";
import { type AuditSeal, auditEntryLine, DatabaseInUseError } from "@platform-rpc/server/host";
import * as z from "zod";
import { databaseFile, openPostgres } from "../platform/open-storage.js";
import { auditPageSize } from "../rpc/maintenance-service.js";
import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";
import { callRunningPlatform } from "./running-platform.js";

export interface AuditPart {
  readonly entries: readonly AuditEntry[];
  /** The number of rows that are not sealed yet: known with the last part. */
  readonly unsealed: number;
}

interface LinePage {
  readonly lines: readonly string[];
  readonly position: string;
  readonly hasMore: boolean;
  readonly unsealed: number;
}

/** Reads the sealed audit trail: of PostgreSQL, or of the running platform, or of a SQLite database that is not in use. */
export async function* readAuditTrail(settings: Settings): AsyncGenerator<AuditPart> {
  const { readPage, close } = await open(settings);
  try {
    for (let position = "", hasMore = true; hasMore; ) {
      const page = await readPage(position);
      const entries = page.lines.map((line) => parseAuditLine(line, "A record of the database"));
      yield { entries, unsealed: page.unsealed };
      ({ position, hasMore } = page);
    }
  } finally {
    await close();
  }
}

async function open(settings: Settings): Promise<{
  readonly readPage: (position: string) => Promise<LinePage>;
  readonly close: () => Promise<void>;
}> {
  if (settings.databaseUrl !== undefined) {
    // The audit trail contains no content.
    const contentKey = new Promise<Uint8Array>(() => {});
    return fromStorage(
      await openPostgres(settings.databaseUrl, { tracing: undefined, contentKey, cell: settings.cell }),
    );
  }
  const path = databaseFile(settings);
  if (!existsSync(path)) throw new CommandError(`There is no database ${path}. Set DATA_DIR or DATABASE_URL.`);
  try {
    return fromStorage(createSqliteStorage({ path }));
  } catch (error) {
    if (!(error instanceof DatabaseInUseError)) throw error;
    return { readPage: (position) => askServer(settings, position), close: async () => {} };
  }
}

function fromStorage(storage: Storage) {
  return {
    readPage: async (position: string): Promise<LinePage> => {
      const page = await storage.readAudit(Number(position), auditPageSize);
      return { ...page, lines: page.entries.map(auditEntryLine), position: String(page.position) };
    },
    close: () => storage.close(),
  };
}

/** Reads a page of the audit trail by the running platform. @throws CommandError */
export async function askServer(settings: Settings, position: string): Promise<LinePage> {
  try {
    return await callRunningPlatform(settings, ({ maintenance }) => maintenance.listAuditTrail({ position }));
  } catch (error) {
    if (error instanceof ConnectError) throw new CommandError(`The audit trail cannot be read. ${error.rawMessage}`);
    throw error;
  }
}

/** Reads an exported audit trail. @throws CommandError */
export async function* readAuditFile(file: string): AsyncGenerator<AuditPart> {
  let number = 0;
  let rest = "";
  const parse = (line: string) => {
    number += 1;
    return parseAuditLine(line, `Line ${number} of ${file}`);
  };
  try {
    for await (const chunk of createReadStream(file, "utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield { entries: lines.map(parse), unsealed: 0 };
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}. Check the path of the export.`,
    );
  }
  if (rest !== "") yield { entries: [parse(rest)], unsealed: 0 };
}

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
    followsArrival: z.literal(true).optional(),
  }),
});

/** A line of the audit trail. The digests cover the line of a row as it is. */
export type AuditEntry = { readonly line: string } & (
  | { readonly row: z.infer<typeof row> }
  | { readonly seal: AuditSeal }
);

/** Parses a line of the audit trail. @throws CommandError that names the place of the line */
function parseAuditLine(line: string, place: string): AuditEntry {
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
