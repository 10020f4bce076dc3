import type {
  BrokerTokenJson,
  DeleteItemRequestJson,
  DeleteItemResponseJson,
  ExchangeMcpOauthDeviceAuthorizationRequestJson,
  ExchangeMcpOauthDeviceAuthorizationResponseJson,
} from "@platform-rpc/types";
import type { Answered } from "../call/call.js";
import { deleteItemOperation, exchangeOperation } from "../contract.js";
import { rebuild, type Shape } from "../wire/rebuild.js";
import type { JsonOperation } from "./json-caller.js";

/** A message with every field present, at every depth. */
export type Complete<T> = T extends readonly (infer Element)[]
  ? readonly Complete<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]-?: Complete<NonNullable<T[Key]>> }
    : T;

/** Identifies the item and the version the caller last saw. All three fields are required. */
export type DeleteItemInput = Complete<Pick<DeleteItemRequestJson, "vaultId" | "itemId" | "baseVersion">>;

/** Carries the device code, which is required. */
export type ExchangeMcpOauthDeviceAuthorizationInput = Complete<
  Pick<ExchangeMcpOauthDeviceAuthorizationRequestJson, "deviceCode">
>;

/** A `DeleteItemResponse` with everything that the contract promises. */
export type CompleteDeleteItemResponse = Complete<DeleteItemResponseJson>;

/** The tombstone, the position of its deletion, and the request id. */
export type DeleteItemResult = Answered<CompleteDeleteItemResponse>;

/** A broker token and its claims. */
export type BrokerToken = Complete<BrokerTokenJson>;

/** The answer to an exchange: everything is present but `brokerToken`, which only `approved` brings. */
export type ExchangeMcpOauthDeviceAuthorizationResponse = Complete<
  Omit<ExchangeMcpOauthDeviceAuthorizationResponseJson, "brokerToken">
> & { readonly brokerToken?: BrokerToken };

/** The status of the device authorization, the tokens once it is approved, and the request id. */
export type ExchangeMcpOauthDeviceAuthorizationResult = Answered<ExchangeMcpOauthDeviceAuthorizationResponse>;

/** A test keeps the shapes equal to the descriptors of the contract. */
export const deleteItemResponseShape: Shape<CompleteDeleteItemResponse> = {
  item: {
    itemId: "",
    tenantId: "",
    vaultId: "",
    version: 0,
    kind: "",
    titleHash: "",
    updatedAt: "",
    encryptedPayload: { alg: "", nonce: "", aad: "", ciphertext: "", version: 0 },
    wrappedKeys: [{ recipientId: "", wrapAlg: "", wrappedKey: "" }],
    deleted: false,
  },
  cursor: { vaultId: "", sequence: 0 },
};

export const exchangeResponseShape: Shape<Omit<ExchangeMcpOauthDeviceAuthorizationResponse, "brokerToken">> = {
  status: "",
  tokenType: "",
  accessToken: "",
  expiresInSeconds: 0,
  intervalSeconds: 0,
  message: "",
};

export const brokerTokenShape: Shape<BrokerToken> = {
  accessToken: "",
  tokenId: "",
  tenantId: "",
  principalId: "",
  scopes: [""],
  role: "",
  popKeyId: "",
  issuedAt: "",
  expiresAt: "",
};

/** Reads the answer to an exchange; undefined when it lacks what its status promises. */
function readExchange(answer: unknown): ExchangeMcpOauthDeviceAuthorizationResponse | undefined {
  const exchange = rebuild<ExchangeMcpOauthDeviceAuthorizationResponse>(exchangeResponseShape, answer);
  const { brokerToken: issued }: { readonly brokerToken?: unknown } = Object(answer);
  const brokerToken = rebuild<BrokerToken>(brokerTokenShape, issued);
  const isComplete =
    exchange?.status === "approved" ? exchange.accessToken && brokerToken?.accessToken : exchange?.status;
  return exchange && isComplete ? { ...exchange, ...(brokerToken && { brokerToken }) } : undefined;
}

export const deleteItem: JsonOperation<CompleteDeleteItemResponse> = {
  ...deleteItemOperation,
  read: (answer) => rebuild<CompleteDeleteItemResponse>(deleteItemResponseShape, answer),
};

export const exchange: JsonOperation<ExchangeMcpOauthDeviceAuthorizationResponse> = {
  ...exchangeOperation,
  read: readExchange,
};
