export { type FakeClock, fakeClock } from "./fake-clock.js";
export {
  createItemModel,
  type ItemRequest,
  type ItemResult,
  type ItemState,
  type ItemView,
  type ShredRequest,
} from "./models/item.js";
export type { Call, Model } from "./models/model.js";
export type { OpenedStorage, OpenStorage } from "./storage-suite/harness.js";
export { describeStorage } from "./storage-suite.js";
