import { createCodeStorageDriver } from "../testing/cases/code-driver.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { redeemAuthorizationCodeCases } from "../testing/cases/redeem-authorization-code.js";
import { describeCodeCases } from "../testing/cases/run-code-cases.js";
import { fakeClock } from "../testing/fake-clock.js";

describeCodeCases("the rules of authorization codes", redeemAuthorizationCodeCases, {}, () =>
  createCodeStorageDriver(createMemoryStorage(), fakeClock()),
);
