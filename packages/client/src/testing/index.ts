export type { FakeCall, FakePlatform } from "./create-fake-platform.js";
export { createFakePlatform } from "./create-fake-platform.js";
export type { FakeClock, FakeClockOptions } from "./fake-clock.js";
export type { Failure, FailureReason } from "./fake-failures.js";
export type { FakeItem } from "./fake-vaults.js";
