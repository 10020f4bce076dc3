import pg from "pg";
import { describe, expect, it } from "vitest";
import {
  endsConnection,
  failureOf,
  isUniqueViolation,
  storageErrorFrom,
} from "../../../../src/storage/postgres/database/postgres-error.js";

/** Creates the error of the driver for an error of the server. */
function serverError(code: string, severity = "ERROR"): Error {
  return Object.assign(new pg.DatabaseError("refused", 0, "error"), { code, severity });
}

const table = [
  // What happened, SQLSTATE, severity, failure of a statement that was sent, new connection, reason for the caller.
  ["serialization failure", "40001", "ERROR", "again", false, "unavailable"],
  ["deadlock", "40P01", "ERROR", "again", false, "unavailable"],
  ["read-only standby", "25006", "ERROR", "again", true, "unavailable"],
  ["too many connections", "53300", "FATAL", "again", true, "unavailable"],
  ["server starting up", "57P03", "FATAL", "again", true, "unavailable"],
  ["lock timeout", "55P03", "ERROR", "rejected", false, "unavailable"],
  ["statement timeout", "57014", "ERROR", "rejected", false, "unavailable"],
  ["unique violation", "23505", "ERROR", "rejected", false, "unavailable"],
  ["disk full", "53100", "ERROR", "rejected", false, "full"],
  ["out of memory", "53200", "ERROR", "rejected", false, "unavailable"],
  ["data corrupted", "XX001", "ERROR", "rejected", false, "damaged"],
  ["index corrupted", "XX002", "ERROR", "rejected", false, "damaged"],
  ["admin shutdown", "57P01", "FATAL", "unknown", true, "unavailable"],
  ["crash shutdown", "57P02", "FATAL", "unknown", true, "unavailable"],
  ["idle session timeout", "57P05", "FATAL", "unknown", true, "unavailable"],
  ["connection failure", "08006", "FATAL", "unknown", true, "unavailable"],
  ["an error of PgBouncer", "08P01", "FATAL", "unknown", true, "unavailable"],
  ["an unexpected end of the session", "XX000", "FATAL", "unknown", true, "unavailable"],
] as const;

describe("an error of the server", () => {
  it.each(table)("%s: %s %s", (_, code, severity, failure, newConnection, reason) => {
    const error = serverError(code, severity);
    expect(failureOf(error, true)).toBe(failure);
    expect(endsConnection(error)).toBe(newConnection);
    expect(storageErrorFrom(error)).toMatchObject({ reason, cause: error });
    expect(isUniqueViolation(error)).toBe(code === "23505");
  });

  it.each(table.filter(([, , severity]) => severity === "FATAL"))(
    "%s: %s means that nothing happened if no statement was sent",
    (_, code, severity) => {
      expect(failureOf(serverError(code, severity), false)).toBe("again");
    },
  );

  it.each(["28P01", "28000", "3D000"])("%s, refused credentials or database, is not tried again", (code) => {
    expect(failureOf(serverError(code, "FATAL"), false)).toBe("rejected");
  });
});

describe("an error of the connection", () => {
  it.each([
    ["connection refused", Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })],
    ["reset", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })],
    ["broken pipe, whose code looks like an SQLSTATE", Object.assign(new Error("write EPIPE"), { code: "EPIPE" })],
    ["the driver's timeout", new Error("Query read timeout")],
    ["the driver's end of connection", new Error("Connection terminated unexpectedly")],
  ])("%s: the effect is unknown once a statement was sent, and there was none before", (_, error) => {
    expect(failureOf(error, true)).toBe("unknown");
    expect(failureOf(error, false)).toBe("again");
    expect(endsConnection(error)).toBe(true);
    expect(storageErrorFrom(error)).toMatchObject({ reason: "unavailable", cause: error });
  });
});
