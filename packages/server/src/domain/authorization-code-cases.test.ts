import { describe, it } from "vitest";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { redeemAuthorizationCodeCases } from "../testing/cases/redeem-authorization-code.js";
import { runCodeCase } from "../testing/cases/run-code-cases.js";
import { fakeClock } from "../testing/fake-clock.js";

describe("the rules of authorization codes", () => {
  it.each(redeemAuthorizationCodeCases)("$title ($section)", (each) =>
    runCodeCase(createMemoryStorage(), fakeClock(), each),
  );
});
