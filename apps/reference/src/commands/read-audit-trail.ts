import { createReadStream, existsSync } from "node:fs";
import { ConnectError } from "@connectrpc/connect";
import { auditEntryLine, createSqliteStorage, DatabaseInUseError, type Storage } from "@platform-rpc/server";
import { databaseFile } from "../database-file.js";
import { openPostgres } from "../open-storage.js";
import { auditPageSize } from "../rpc/maintenance-service.js";
import type { Settings } from "../settings.js";
import { type AuditEntry, parseAuditLine } from "./audit-entry.js";
import { CommandError } from "./command-error.js";
import { callRunningPlatform } from "./running-platform.js";

/** A part of an audit trail. */
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
    return fromStorage(await openPostgres(settings.databaseUrl, { tracing: undefined, contentKey }));
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

async function askServer(settings: Settings, position: string): Promise<LinePage> {
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
