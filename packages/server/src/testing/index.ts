export { answerDeviceAuthorizationCases } from "./cases/answer-device-authorization.js";
export {
  type CodeAnswer,
  type CodeDriver,
  codeRedirectUri,
  codeResource,
  type IssuedCode,
  type Redeem,
} from "./cases/code-driver.js";
export { deleteItemCases } from "./cases/delete-item.js";
export {
  caseKeys,
  type DeviceCall,
  type DeviceCase,
  type DeviceEvent,
  type DeviceGiven,
  type DeviceOutcome,
  isExchange,
} from "./cases/device-case.js";
export type { DeviceCallers } from "./cases/device-effects.js";
export {
  answerOfResponse,
  createDeviceOperationsDriver,
  type DeviceExchange,
  type DeviceOperationsDriver,
  userCodeOf,
} from "./cases/device-operations-driver.js";
export { answeredOf } from "./cases/device-storage-driver.js";
export { exchangeDeviceCodeCases } from "./cases/exchange-device-code.js";
export type { FamilyAnswer, FamilyCalls, FamilyDriver, Refresh, Revoke, RevokedBy } from "./cases/family-driver.js";
export { getItemCases } from "./cases/get-item.js";
export type { ItemCall, ItemCase, ItemEvent, ItemGiven, ItemOutcome, ItemReason } from "./cases/item-case.js";
export {
  describeListCases,
  type ListAnswer,
  type ListCase,
  type ListDriver,
  type ListedChange,
  listChangesCases,
} from "./cases/list-changes.js";
export { putItemCases } from "./cases/put-item.js";
export { redeemAuthorizationCodeCases } from "./cases/redeem-authorization-code.js";
export { redeemDeviceCodeCases } from "./cases/redeem-device-code.js";
export { restoreItemCases } from "./cases/restore-item.js";
export { rotateRefreshTokenCases } from "./cases/rotate-refresh-token.js";
export { type CodeCase, type CodeEvent, type CodeOutcome, describeCodeCases } from "./cases/run-code-cases.js";
export {
  type DeviceAnswer,
  type DeviceCodes,
  type DeviceDriver,
  type DeviceDriverScope,
  type DriverClock,
  describeDeviceCases,
} from "./cases/run-device-cases.js";
export {
  describeFamilyCases,
  type FamilyCase,
  type FamilyDriverScope,
  type FamilyEvent,
  type FamilyOutcome,
} from "./cases/run-family-cases.js";
export {
  type ChangedItem,
  changedItem,
  describeItemCases,
  type ItemAnswer,
  type ItemDriver,
  type ItemDriverScope,
  type ItemHost,
  type ItemTime,
} from "./cases/run-item-cases.js";
export type { Section } from "./cases/section.js";
export { startDeviceAuthorizationCases } from "./cases/start-device-authorization.js";
export { type CaseClock, createStorageHost, type ItemStorage } from "./cases/storage-driver.js";
export { type FakeClock, fakeClock } from "./fake-clock.js";
export { describeKeyValueStore, type OpenKeyValueStore } from "./key-value-suite.js";
export {
  type AuthorizationConsumption,
  type AuthorizationRequest,
  type AuthorizationResult,
  type AuthorizationSettings,
  type AuthorizationState,
  createAuthorizationModel,
} from "./models/device-authorization.js";
export {
  createItemModel,
  type ItemRequest,
  type ItemResult,
  type ItemState,
  type ItemView,
  type ShredRequest,
} from "./models/item.js";
export type { Call, Model } from "./models/model.js";
export {
  createFamilyModel,
  type FamilyAccess,
  type FamilyRequest,
  type FamilyResult,
  type FamilySettings,
  type FamilyState,
  type OpenedFamily,
} from "./models/refresh-family.js";
export type { OpenedStorage, OpenStorage } from "./storage-suite/harness.js";
export { describeStorage } from "./storage-suite.js";
