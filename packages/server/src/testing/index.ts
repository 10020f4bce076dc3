export { type FakeClock, fakeClock } from "./fake-clock.js";
export type { OpenedStorage, OpenStorage } from "./storage-suite/harness.js";
export { describeStorage } from "./storage-suite.js";
