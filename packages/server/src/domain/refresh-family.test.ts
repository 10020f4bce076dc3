import { expect, it } from "vitest";
import { createFamilyStorageDriver } from "../testing/cases/family-driver.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { rotateRefreshTokenCases } from "../testing/cases/rotate-refresh-token.js";
import { describeFamilyCases } from "../testing/cases/run-family-cases.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runFamilyModel } from "../testing/models/run-refresh-family-model.js";

describeFamilyCases("the rules of refresh families", rotateRefreshTokenCases, {}, () =>
  createFamilyStorageDriver(createMemoryStorage(), fakeClock()),
);

it("DECISIONS section 9: the rules follow the model of the refresh family over any history of calls, settings and time", async () => {
  const reached = await runFamilyModel(() => ({ storage: createMemoryStorage(), clock: fakeClock() }), 400);
  // Guards against a property that passes because it never reaches these results.
  const reasons = ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_REUSED", "PROOF_KEY_REQUIRED", "OAUTH_CLIENT_DISABLED"];
  const results = ["PRINCIPAL_DISABLED", "SCOPES_NOT_GRANTED", "the same tokens", "another access token", "new tokens"];
  for (const each of [...reasons, ...results]) expect(reached.get(each), each).toBeGreaterThan(5);
});
