// The rules and the messages of the platform, which the fake platform applies. They import nothing but the packages that the client
// also needs: the entry `testing` contains a copy of them, and a program that uses the client does not need the server.

export {
  answerDeviceAuthorization,
  getDeviceAuthorization,
} from "../../../server/src/domain/answer-device-authorization.js";
export { deleteItem } from "../../../server/src/domain/delete-item.js";
export { exchangeDeviceCode } from "../../../server/src/domain/exchange-device-code.js";
export { getItem } from "../../../server/src/domain/get-item.js";
export { oauthClients, principals } from "../../../server/src/domain/model/access.js";
export { delegations } from "../../../server/src/domain/model/delegation.js";
export { deviceAuthorizations } from "../../../server/src/domain/model/device-authorization.js";
export { withSequence } from "../../../server/src/domain/model/item.js";
export { putItem } from "../../../server/src/domain/put-item.js";
export { startDeviceAuthorization } from "../../../server/src/domain/start-device-authorization.js";
export { exchangeResponse } from "../../../server/src/services/exchange-response.js";
export { cursorMessage, itemMessage } from "../../../server/src/services/item-message.js";
export { createMemoryStorage, type RuleStorage } from "../../../server/src/testing/cases/memory-storage.js";

/** The caller of every request, who is also the user that approves device authorizations. */
export const caller = {
  tenantId: "tenant-1",
  principalId: "principal-1",
  oauthClientId: "client-1",
  tokenId: "",
  operation: "",
  requestId: "",
};
