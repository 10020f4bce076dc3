import fc from "fast-check";
import { expect, it } from "vitest";
import { newSessionRecord, sessionOf, touchedRecord } from "./session-record.js";

const minute = 60_000;
const start = 1_700_000_000_000;
const signedIn = {
  tenantId: "acme",
  principalId: "ada",
  displayName: "Ada",
  how: "passkey",
  address: "192.0.2.1",
  browser: "Firefox on Linux",
} as const;

it("a session is found while it is used every 14 minutes, never after 15 minutes without use, and never after 12 hours", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 20 * minute }), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(pauses, (all) => {
      let record = { ...newSessionRecord("key", signedIn, start), revision: 1 };
      let now = start;
      let used = true;
      for (const pause of all) {
        now += pause;
        const age = now - start;
        used &&= pause < 14 * minute && age < 12 * 60 * minute;
        const found = sessionOf(record, now);
        if (used) expect(found).toMatchObject({ signedInAt: start });
        if (pause >= 15 * minute || age >= 12 * 60 * minute) expect(found).toBeUndefined();
        if (found === undefined) return;
        const touched = touchedRecord(record, now);
        if (touched !== undefined) record = { ...touched, revision: record.revision + 1 };
        // Written at most once a minute.
        expect(record.revision - 1).toBeLessThanOrEqual(age / minute);
      }
    }),
  );
});
