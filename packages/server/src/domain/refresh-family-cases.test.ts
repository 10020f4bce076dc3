import { createFamilyStorageDriver } from "../testing/cases/family-driver.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { rotateRefreshTokenCases } from "../testing/cases/rotate-refresh-token.js";
import { describeFamilyCases } from "../testing/cases/run-family-cases.js";
import { fakeClock } from "../testing/fake-clock.js";

describeFamilyCases("the rules of refresh families", rotateRefreshTokenCases, {}, () =>
  createFamilyStorageDriver(createMemoryStorage(), fakeClock()),
);
