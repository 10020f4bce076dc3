import { answerDeviceAuthorization, getDeviceAuthorization } from "./answer-device-authorization.js";
import { bindKeys } from "./bound-keys.js";
import { compareClock, readClock, trustClock } from "./clock-agreement.js";
import { deleteItem } from "./delete-item.js";
import { exchangeDeviceCode } from "./exchange-device-code.js";
import { getItem } from "./get-item.js";
import {
  getGrant,
  issueAccessToken,
  registerOauthClient,
  revokeToken,
  setOauthClient,
  setPrincipal,
} from "./manage-access.js";
import { createVault, setVaultMember } from "./manage-vault.js";
import { getItemAsMember, putItemAsMember, restoreItemAsMember } from "./member-items.js";
import { putItem } from "./put-item.js";
import { getRecord, putRecord, putRecords } from "./put-record.js";
import { recordTokenUse } from "./record-token-use.js";
import { redeemAuthorizationCode } from "./redeem-authorization-code.js";
import { redeemWithProof } from "./redeem-with-proof.js";
import { restoreItem } from "./restore-item.js";
import { revokeRefreshFamily } from "./revoke-refresh-family.js";
import { rotateRefreshToken } from "./rotate-refresh-token.js";
import type { AnyRule } from "./rule.js";
import { shredItem } from "./shred-item.js";
import { startDeviceAuthorization } from "./start-device-authorization.js";

/** Every rule of this package: a storage in another thread finds them here by their names. */
export const rules: readonly AnyRule[] = [
  answerDeviceAuthorization,
  bindKeys,
  compareClock,
  createVault,
  deleteItem,
  exchangeDeviceCode,
  getDeviceAuthorization,
  getGrant,
  getItem,
  getItemAsMember,
  getRecord,
  issueAccessToken,
  putItem,
  putItemAsMember,
  putRecord,
  putRecords,
  readClock,
  recordTokenUse,
  redeemAuthorizationCode,
  redeemWithProof,
  registerOauthClient,
  restoreItem,
  restoreItemAsMember,
  revokeRefreshFamily,
  revokeToken,
  rotateRefreshToken,
  setOauthClient,
  setPrincipal,
  setVaultMember,
  shredItem,
  startDeviceAuthorization,
  trustClock,
];
