export { type FakeClock, fakeClock } from "@platform-rpc/fixtures";
export type { OpenedStorage, OpenStorage } from "./storage-suite/harness.js";
export { describeStorage } from "./storage-suite.js";
