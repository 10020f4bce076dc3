import { describe, it } from "vitest";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { rotateRefreshTokenCases } from "../testing/cases/rotate-refresh-token.js";
import { runFamilyCase } from "../testing/cases/run-family-cases.js";
import { fakeClock } from "../testing/fake-clock.js";

describe("the rules of refresh families", () => {
  it.each(rotateRefreshTokenCases)("$title ($section)", (each) =>
    runFamilyCase(createMemoryStorage(), fakeClock(), each),
  );
});
