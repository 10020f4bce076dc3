import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordedCall } from "./journal.ts";

/** What a database contains of the load, without content. Read after the app has stopped. */
export interface Stored {
  readonly vaults: readonly { readonly vaultId: string; readonly sequence: number }[];
  readonly changes: readonly StoredChange[];
  readonly audit: readonly AuditRow[];
  readonly seals: readonly AuditSeal[];
  readonly authorizations: readonly {
    readonly codeHash: string;
    readonly state: string;
    /** Empty unless the code is consumed. */
    readonly grantId: string;
  }[];
  readonly grants: readonly {
    readonly grantId: string;
    readonly accessTokenId: string;
    /** Empty for tokens that were not exchanged for a device code. */
    readonly brokerTokenId: string;
  }[];
  readonly delegations: readonly StoredDelegation[];
  /** The ids of revoked grants, and of revoked tokens of other issuers. */
  readonly revocations: readonly string[];
}

interface StoredDelegation {
  /** The id of the grant of the approval. */
  readonly delegationId: string;
  /** How many deletions it allows. null: any number. */
  readonly allowed: number | null;
  readonly used: number;
}

export interface StoredChange {
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly state: string;
  readonly sequence: number;
}

/** A record of the audit trail. The order of the members is that of its line: see docs/operate/audit.md, "The hash chain". */
export interface AuditRow {
  readonly position: number;
  readonly at: number;
  readonly subjectTenantId: string;
  readonly subject: string;
  readonly event: string;
  readonly versionBefore: number;
  readonly versionAfter: number;
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  readonly tokenId: string;
  readonly operation: string;
  readonly requestId: string;
}

export interface AuditSeal {
  readonly subjectTenantId: string;
  readonly previousPosition: number;
  readonly position: number;
  readonly rows: number;
  readonly month: string;
  readonly digest: string;
  readonly trail: string;
  /** Whether it was sealed by another cell, from which the tenant has arrived. Default: false. */
  readonly arrived?: boolean;
}

/** The format of a history, in its first line. A change that a reader could misunderstand raises the version. */
const format = { format: "platform-history", version: 1 } as const;

export interface VerifyOptions {
  readonly clockMoves: boolean;
  /** The number of successes that each kind of call must have had. */
  readonly minimum: number;
  /**
   * Until when acknowledged calls are lost, because the database went back to an earlier state. Calls from before, and what they have
   * changed, are not checked. 0: none are lost.
   */
  readonly losesUntil: number;
}

/** Everything that a run recorded: see README.md, "The history file". */
interface History {
  readonly title: string;
  readonly options: VerifyOptions;
  readonly calls: readonly RecordedCall[];
  readonly stored: Stored;
}

export async function writeHistory(path: string, { title, options, calls, stored }: History): Promise<void> {
  const lines = function* () {
    yield { ...format, title, ...options };
    for (const { endedAt, ...call } of calls.toSorted((a, b) => a.begunAt - b.begunAt)) {
      yield { type: typeOf(call), ...call, ...(Number.isFinite(endedAt) && { endedAt }) };
    }
    for (const [table, rows] of Object.entries(stored)) for (const row of rows) yield { stored: table, row };
  };
  const text = Readable.from(lines()).map((line) => `${JSON.stringify(line)}\n`);
  await pipeline(text, createWriteStream(path, { flags: "wx" }));
}

/** Returns what became of a call, in the words of Jepsen: only `fail` is known to have had no effect. */
function typeOf({ result, refused }: Pick<RecordedCall, "result" | "refused">): "ok" | "fail" | "info" {
  if (refused !== undefined) return "fail";
  if (result === undefined) return "info";
  return result.ok ? "ok" : "fail";
}
