import type {
  BrokerTokenJson,
  DeleteItemRequestJson,
  DeleteItemResponseJson,
  ExchangeMcpOauthDeviceAuthorizationRequestJson,
  ExchangeMcpOauthDeviceAuthorizationResponseJson,
} from "@platform/types";
import { someTime } from "../fill-in.js";

/** A message with everything that it may hold present, at every depth. */
export type Complete<T> = T extends readonly (infer Element)[]
  ? readonly Complete<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]-?: Complete<NonNullable<T[Key]>> }
    : T;

/** Names the item and the version that the caller last saw. All three are required. */
export type DeleteItemInput = Complete<DeleteItemRequestJson>;

/** Carries the device code, which is required. */
export type ExchangeInput = Complete<ExchangeMcpOauthDeviceAuthorizationRequestJson>;

/** A `DeleteItemResponse` as the contract promises it: with everything that is always present. */
export type CompleteDeleteItemResponse = Complete<DeleteItemResponseJson>;

/** A broker token, and what it says. */
export type CompleteBrokerToken = Complete<BrokerTokenJson>;

/** An answer to an exchange: everything is present but `brokerToken`, which only `approved` brings. */
export type CompleteExchangeResponse = Complete<
  Omit<ExchangeMcpOauthDeviceAuthorizationResponseJson, "brokerToken">
> & { readonly brokerToken?: CompleteBrokerToken };

/** Messages whose fields are empty. A test keeps them equal to the descriptors of the contract. */
export const emptyDeleteItemRequest: DeleteItemInput = { vaultId: "", itemId: "", baseVersion: 0 };

export const emptyExchangeRequest: ExchangeInput = { deviceCode: "" };

export const emptyDeleteItemResponse: CompleteDeleteItemResponse = {
  item: {
    itemId: "",
    tenantId: "",
    vaultId: "",
    version: 0,
    kind: "",
    titleHash: "",
    updatedAt: someTime,
    encryptedPayload: { alg: "", nonce: "", aad: "", ciphertext: "", version: 0 },
    wrappedKeys: [{ recipientId: "", wrapAlg: "", wrappedKey: "" }],
    deleted: false,
  },
  cursor: { vaultId: "", sequence: 0 },
};

export const emptyExchangeResponse: CompleteExchangeResponse = {
  status: "",
  tokenType: "",
  accessToken: "",
  expiresInSeconds: 0,
  intervalSeconds: 0,
  message: "",
};

export const emptyBrokerToken: CompleteBrokerToken = {
  accessToken: "",
  tokenId: "",
  tenantId: "",
  principalId: "",
  scopes: [""],
  role: "",
  popKeyId: "",
  issuedAt: someTime,
  expiresAt: someTime,
};
