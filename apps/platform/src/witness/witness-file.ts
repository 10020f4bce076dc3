import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { replacePrivateFile } from "@platform-rpc/files";
import { errorCode } from "@platform-rpc/front/errors";
import type { AcknowledgedChange, DatabaseHistory, HistoryEvent } from "@platform-rpc/server/host";
import * as z from "zod";

/** The first letters of the subjects of events of accounts: `account:<id>` and `passkey:<id>/<passkey>`. */
export const accountSubjects = ["account:", "passkey:"];

/** Returns whether undoing an event takes an account away, or restores an old code, a removed passkey or a deleted account. */
export function isUndoable({ subject, event }: Pick<HistoryEvent, "subject" | "event">): boolean {
  if (subject.startsWith("passkey:")) return event === "removed";
  return subject.startsWith("account:") && /^(?:created|recovery code (?:created|replaced)|deleted)$/.test(event);
}

/** What a process last knew of its database, in a file outside of it. */
export interface Witness {
  readonly history: DatabaseHistory;
  /** Some of the newest changes of items that the process has acknowledged. */
  readonly changes: readonly AcknowledgedChange[];
  /** The newest events of accounts, the oldest first. */
  readonly events: readonly HistoryEvent[];
}

const place = z.object({ position: z.number(), digest: z.string() });
const stored = z.strictObject({
  version: z.literal(1),
  /** The SHA-256 of the rest as JSON. Files of earlier versions have none. */
  checksum: z.string().optional(),
  installation: z.string(),
  database: z.string(),
  timeline: z.string().optional(),
  announcedAt: z.number(),
  newest: place.extend({ at: z.number() }).optional(),
  sealed: place.optional(),
  changes: z.array(
    z.object({
      tenantId: z.string(),
      vaultId: z.string(),
      itemId: z.string(),
      sequence: z.number(),
      version: z.number(),
    }),
  ),
  events: z.array(z.object({ position: z.number(), at: z.number(), subject: z.string(), event: z.string() })),
});

export type Engine = "SQLite" | "PostgreSQL";

/** Thrown for a file whose bytes have changed. What it says of the database is not believed. */
export class WitnessDamagedError extends Error {
  override readonly name = "WitnessDamagedError";

  constructor(file: string, options?: ErrorOptions) {
    super(
      `The witness ${file} is damaged: it does not match its checksum. That is no reason to restore a backup: the database may be ` +
        "intact. Check the disk of the file. To continue without it, move it away.",
      options,
    );
  }
}

/**
 * Reads the witness. Returns undefined if there is no file, or if it describes a database of the other engine, from which the data was
 * copied.
 *
 * @throws WitnessDamagedError, or the error of a file that cannot be read.
 */
export async function readWitness(file: string, engine: Engine): Promise<Witness | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(file, "utf8"));
    const { events, changes, version: _, checksum, timeline, newest, sealed, ...history } = stored.parse(read);
    if (checksum !== undefined && checksum !== checksumOf({ ...Object(read), checksum: undefined }))
      throw new WitnessDamagedError(file);
    if ((history.database === "sqlite") !== (engine === "SQLite")) return undefined;
    return { history: { ...history, timeline, newest, sealed }, changes, events };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    const unreadable = error instanceof SyntaxError || error instanceof z.ZodError;
    throw unreadable ? new WitnessDamagedError(file, { cause: error }) : error;
  }
}

/** Replaces the file. A power cut can lose the newest state: an older one is as true, and knows a little less. */
export async function writeWitness(file: string, { history, ...rest }: Witness): Promise<void> {
  const content = { version: 1, ...history, ...rest };
  await replacePrivateFile(file, JSON.stringify({ ...content, checksum: checksumOf(content) }), false);
}

function checksumOf(content: object): string {
  return hash("sha256", JSON.stringify(content));
}
