import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AuditRow, type AuditSeal, auditLine, entriesInOrder } from "../domain/model/audit-seal.js";
import { type AuditVerifierOptions, createAuditVerifier } from "./audit-verifier.js";
import { sealRows } from "./seal-rows.js";

const start = Date.UTC(2026, 9, 31, 23, 59, 0);

function rowOf(position: number, tenant: string, at = start + position * 10_000): AuditRow {
  const actor = { tenantId: tenant, principalId: "p", oauthClientId: "c", tokenId: "t", operation: "o" };
  const change = { subjectTenantId: tenant, subject: `item:${position}`, event: "deleted" };
  return { ...actor, ...change, requestId: `r-${position}`, versionBefore: 1, versionAfter: 2, position, at };
}

/** Seals rows in rounds. */
function sealed(rows: readonly AuditRow[], roundSize: number): AuditSeal[] {
  const seals: AuditSeal[] = [];
  for (let from = 0; from < rows.length; from += roundSize) {
    const headOf = (tenant: string) => seals.findLast(({ subjectTenantId }) => subjectTenantId === tenant);
    seals.push(...sealRows({ rows: rows.slice(from, from + roundSize), headOf, trail: seals.at(-1)?.trail }));
  }
  return seals;
}

function verify(rows: readonly AuditRow[], seals: readonly AuditSeal[], options?: AuditVerifierOptions) {
  const verifier = createAuditVerifier(options);
  for (const entry of entriesInOrder(rows, seals)) {
    if ("trail" in entry) verifier.seal(entry);
    else verifier.row({ ...entry, line: auditLine(entry) });
  }
  return verifier.end();
}

/** Audit trails of up to three tenants, with their seals. */
const trails = fc
  .record({
    tenants: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 40 }),
    gap: fc.integer({ min: 1, max: 3 }),
    roundSize: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ tenants, gap, roundSize }) => {
    const rows = tenants.map((tenant, n) => rowOf((n + 1) * gap, tenant));
    return { rows, seals: sealed(rows, roundSize) };
  });

/** Links the seals as a storage reads them: what they say of the seals before them is what is stored there. */
function linked(seals: readonly AuditSeal[]): AuditSeal[] {
  const zero = "0".repeat(64);
  return seals.map((seal, n) => {
    const previous = seals.find(
      ({ subjectTenantId, position }) => subjectTenantId === seal.subjectTenantId && position === seal.previousPosition,
    );
    return { ...seal, previousDigest: previous?.digest ?? zero, previousTrail: seals[n - 1]?.trail ?? zero };
  });
}

const columns = [
  ...["at", "subjectTenantId", "subject", "event", "versionBefore", "versionAfter", "tenantId", "principalId"],
  ...["oauthClientId", "tokenId", "operation", "requestId"],
] as const;

describe("createAuditVerifier", () => {
  it("finds no difference in a trail that was not changed, and every head of its past", () => {
    fc.assert(
      fc.property(trails, ({ rows, seals }) => {
        const heads = seals.flatMap(({ digest, trail }) => [digest, trail]);
        const result = verify(rows, linked(seals), { heads });
        expect(result).toMatchObject({ differences: [], absentMonths: [], missingHeads: [] });
        expect(result.head).toEqual(seals.at(-1));
        expect(result.tenants.reduce((sum, tenant) => sum + tenant.rows, 0)).toBe(rows.length);
      }),
    );
  });

  it("finds any single change of a row in the seal that covers the row", () => {
    fc.assert(
      fc.property(trails, fc.nat(), fc.constantFrom(...columns), ({ rows, seals }, index, column) => {
        const at = index % rows.length;
        const tampered = rows.map((row, n) => {
          if (n !== at) return row;
          const value = row[column];
          return { ...row, [column]: typeof value === "number" ? value + 1 : `${value}x` };
        });
        expectFound(verify(tampered, seals), [rows[at]]);
      }),
    );
  });

  it("finds a removed row, an inserted row, and two exchanged rows", () => {
    fc.assert(
      fc.property(trails, fc.nat(), fc.nat(), ({ rows, seals }, first, second) => {
        const row = rows[first % rows.length];
        const other = rows[second % rows.length];
        if (row === undefined || other === undefined || row === other) return;
        expectFound(
          verify(
            rows.filter((each) => each !== row),
            seals,
          ),
          [row],
        );
        const swapped = rows.map((each) => {
          if (each === row) return { ...other, position: row.position };
          return each === other ? { ...row, position: other.position } : each;
        });
        expectFound(verify(swapped, seals), [row, other]);
        const added = { ...row, position: row.position - 0.5 };
        expectFound(verify([...rows, added], seals), [row]);
      }),
    );
  });

  it("finds a changed seal, and a removed one with or without its rows, unless it is the newest", () => {
    fc.assert(
      fc.property(trails, fc.nat(), ({ rows, seals }, index) => {
        const at = index % seals.length;
        const seal = seals[at];
        if (seal === undefined) return;
        const forged = "f".repeat(64);
        for (const change of [{ digest: forged }, { trail: forged }, { rows: seal.rows + 1 }, { month: "2026-01" }]) {
          const changed = seals.map((each, n) => (n === at ? { ...each, ...change } : each));
          expect(verify(rows, linked(changed)).differenceCount).toBeGreaterThan(0);
        }
        const others = seals.filter((each) => each !== seal);
        expect(verify(rows, linked(others)).differenceCount).toBeGreaterThan(0);
        const uncovered = rows.filter((row) => !covers(seal, row));
        const cut = verify(uncovered, linked(others), { heads: [seal.trail] });
        if (at < seals.length - 1) expect(cut.differenceCount).toBeGreaterThan(0);
        // Only a head that was kept outside shows that the end was cut off.
        expect(cut.missingHeads).toEqual([seal.trail]);
      }),
    );
  });

  it("does not find the old head after someone has changed a row and computed all chains again", () => {
    const rows = Array.from({ length: 9 }, (_, n) => rowOf(n + 1, n % 2 === 0 ? "a" : "b"));
    const seals = sealed(rows, 4);
    const forged = rows.map((row) => (row.position === 2 ? { ...row, principalId: "other" } : row));
    const heads = [seals.at(-1)?.trail ?? ""];
    expect(verify(forged, sealed(forged, 4), { heads })).toMatchObject({ differences: [], missingHeads: heads });
    expect(verify(rows, seals, { heads })).toMatchObject({ missingHeads: [] });
  });

  it("reports a month that was dropped as a whole as not verified, and a part of a month as missing", () => {
    const rows = Array.from({ length: 12 }, (_, n) => rowOf(n + 1, n % 2 === 0 ? "a" : "b"));
    const seals = sealed(rows, 5);
    const october = rows.filter(({ at }) => at < Date.UTC(2026, 10));
    expect(october).toHaveLength(5);
    const heads = seals.flatMap(({ digest, trail }) => [digest, trail]);
    const rest = rows.filter((row) => !october.includes(row));
    const dropped = verify(rest, seals, { heads });
    expect(dropped).toMatchObject({ differences: [], missingHeads: [] });
    expect(dropped.absentMonths).toEqual([{ month: "2026-10", rows: 5 }]);
    expect(verify(rows.slice(1), seals).differences).toMatchObject([{ kind: "rows_missing", month: "2026-10" }]);
    const wholeSeal = rows.filter(({ subjectTenantId, position }) => subjectTenantId === "b" || position > 5);
    expect(verify(wholeSeal, seals).differences).toMatchObject([
      { kind: "rows_missing", month: "2026-10", subjectTenantId: "a", afterPosition: 0, position: 5 },
    ]);
  });

  it.each([{ month: "2026-01" }, { rows: 0 }])(
    "does not take removed rows for an archived month if their seal is changed to %j",
    (change) => {
      const rows = Array.from({ length: 12 }, (_, n) => rowOf(n + 1, n % 2 === 0 ? "a" : "b"));
      const seals = sealed(rows, 5);
      const [first, ...others] = seals;
      if (first === undefined) return expect.unreachable();
      const rest = rows.filter((row) => !covers(first, row));
      const heads = [seals.at(-1)?.trail ?? ""];
      const { differences } = verify(rest, [{ ...first, ...change }, ...others], { heads });
      expect(differences[0]).toMatchObject({ kind: "seal_changed", position: first.position });
    },
  );

  it("verifies a part of a trail that begins with any seal and contains some tenants only", () => {
    fc.assert(
      fc.property(trails, fc.nat(), ({ rows, seals }, index) => {
        const part = seals.slice(index % seals.length).filter(({ subjectTenantId }) => subjectTenantId !== "b");
        const covered = rows.filter((row) => part.some((seal) => covers(seal, row)));
        const heads = part.flatMap(({ digest, trail }) => [digest, trail]);
        const result = verify(covered, part, { heads, partial: true });
        expect(result).toMatchObject({ differences: [], missingHeads: [] });
        const [row] = covered;
        if (row !== undefined) {
          const changed = covered.map((each) => (each === row ? { ...row, at: row.at + 1 } : each));
          expectFound(verify(changed, part, { partial: true }), [row]);
        }
      }),
    );
  });
});

function covers({ subjectTenantId, previousPosition, position }: AuditSeal, row: AuditRow): boolean {
  return row.subjectTenantId === subjectTenantId && row.position > previousPosition && row.position <= position;
}

/** Expects that the first difference covers one of the rows, or that the only row of a month is missing. */
function expectFound(
  { differences, absentMonths }: ReturnType<typeof verify>,
  rows: readonly (AuditRow | undefined)[],
): void {
  const [first] = differences;
  if (first === undefined && absentMonths.length > 0) return;
  expect(first).toBeDefined();
  const { afterPosition = 0, position = 0 } = first ?? {};
  expect(rows.some((row) => row !== undefined && row.position > afterPosition && row.position <= position)).toBe(true);
}
