export type { FakePlatform } from "./create-fake-platform.js";
export { createFakePlatform } from "./create-fake-platform.js";
export type { FakeClock, FakeClockOptions } from "./fake-clock.js";
export type { FakeItem } from "./fake-vaults.js";
