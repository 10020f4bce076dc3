import fc from "fast-check";
import { expect, it } from "vitest";
import { isCurrent, newSession, touched } from "./session.js";

const minute = 60_000;
const start = 1_700_000_000_000;
const signedIn = {
  tenantId: "acme",
  principalId: "ada",
  displayName: "Ada",
  how: "passkey",
  address: "192.0.2.1",
  browser: "Firefox on Linux",
  deviceId: "device",
} as const;

it("a session is found while it is used every 14 minutes, never after 15 minutes without use, and never after 12 hours", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 20 * minute }), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(pauses, (all) => {
      let session = newSession("key", signedIn, start);
      let writes = 0;
      let now = start;
      let used = true;
      for (const pause of all) {
        now += pause;
        const age = now - start;
        used &&= pause < 14 * minute && age < 12 * 60 * minute;
        const found = isCurrent(session, now);
        if (used) expect(found).toBe(true);
        if (pause >= 15 * minute || age >= 12 * 60 * minute) expect(found).toBe(false);
        if (!found) return;
        const next = touched(session, now);
        if (next !== undefined) {
          session = next;
          writes += 1;
        }
        expect(session.signedInAt).toBe(start);
        // Written at most once a minute.
        expect(writes).toBeLessThanOrEqual(age / minute);
      }
    }),
  );
});
