import type { ItemRef } from "./item.js";

/** A place in the audit trail, and what is stored there. */
export interface AuditPlace {
  readonly position: number;
  /** SHA-256 of the row, or `trail` of the seal. */
  readonly digest: string;
}

/** What a database knew of its own history when it was read. */
export interface DatabaseHistory {
  /** Differs for another installation. The same for a copy, a restored dump and a standby. Empty: there are no tables yet. */
  readonly installation: string;
  /** Differs for another server, another database, and one that was restored from a dump. */
  readonly database: string;
  /** The timeline of PostgreSQL, which a failover changes. Undefined on SQLite, and where PostgreSQL does not say. */
  readonly timeline: string | undefined;
  /** When an operator last began an epoch, or confirmed the database; 0 if never. In milliseconds since the Unix epoch. */
  readonly announcedAt: number;
  /** The newest row of the audit trail, and when it was written. Undefined: there is none. */
  readonly newest: (AuditPlace & { readonly at: number }) | undefined;
  /** The newest seal of all tenants. Undefined: there is none. */
  readonly sealed: AuditPlace | undefined;
}

/** A change of an item that was acknowledged: the history of its vault must contain it. */
export interface AcknowledgedChange extends ItemRef {
  readonly sequence: number;
  readonly version: number;
}

/** What to read of the history. */
export interface HistoryQuery {
  /** Changes that the database must have. */
  readonly changes: readonly AcknowledgedChange[];
  /** What was known before. Undefined: nothing. */
  readonly known: DatabaseHistory | undefined;
  /** The first letters of the subjects of events to list, such as `account:`. */
  readonly subjects: readonly string[];
}

/** An event in the audit trail. */
export interface HistoryEvent {
  readonly position: number;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  readonly subject: string;
  readonly event: string;
}

/** The history of a database, and what it has stored at the places that were known before. */
export interface HistoryReading extends DatabaseHistory {
  /** The digest of the row at the position of the newest known one. Undefined: there is no such row. */
  readonly knownRow: string | undefined;
  /** The digest of the seal at the position of the newest known one. Undefined: there is no such seal. */
  readonly knownSeal: string | undefined;
  /** One of the `changes` that the database does not have. Undefined: it has all of them. */
  readonly lostChange: AcknowledgedChange | undefined;
  /** Events after the newest known row, the oldest first: those in the newest 20,000 rows of the audit trail. */
  readonly events: readonly HistoryEvent[];
}

/**
 * How a database compares with what was known of it:
 *
 * - `same`: everything that was known is there.
 * - `announced`: an operator began an epoch or confirmed the database since. What was known before does not matter any more.
 * - `foreign`: it is the database of another installation. No announcement in it concerns this one.
 * - `another`: it is another database, such as after a move to another server.
 * - `older`: it knows less, as after a restore, or after a failover to a standby that lagged behind.
 * - `different`: it has stored something else since a point in the past.
 */
export type HistoryComparison = "same" | "announced" | "foreign" | "another" | "older" | "different";

export function compareHistory(known: DatabaseHistory, found: HistoryReading): HistoryComparison {
  const named = found.installation !== "" && known.installation !== "";
  if (named && found.installation !== known.installation) return "foreign";
  if (found.announcedAt > known.announcedAt) return "announced";
  const { newest, sealed } = known;
  const lost = newest !== undefined && found.knownRow === undefined && !isArchived(known, found);
  if (lost && (found.newest?.position ?? 0) < newest.position) return "older";
  if (lost || (found.knownRow !== undefined && found.knownRow !== newest?.digest)) return "different";
  if (found.lostChange !== undefined) return "older";
  if (sealed !== undefined && found.knownSeal !== sealed.digest) return "different";
  return found.database === known.database ? "same" : "another";
}

/** Returns whether the newest known row may be missing because its month was archived: then a seal covers it, and the chain is intact. */
function isArchived({ newest, sealed }: DatabaseHistory, found: HistoryReading): boolean {
  const covered = Math.max(sealed?.position ?? 0, found.sealed?.position ?? 0);
  return (
    newest !== undefined && sealed !== undefined && covered >= newest.position && found.knownSeal === sealed.digest
  );
}
