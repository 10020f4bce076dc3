import type {
  BrokerTokenJson,
  DeleteItemRequestJson,
  DeleteItemResponseJson,
  ExchangeMcpOauthDeviceAuthorizationRequestJson,
  ExchangeMcpOauthDeviceAuthorizationResponseJson,
} from "@platform-rpc/types";
import { rebuild, type Shape } from "../rebuild.js";

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

export const exchangeResponseShape: Shape<Omit<CompleteExchangeResponse, "brokerToken">> = {
  status: "",
  tokenType: "",
  accessToken: "",
  expiresInSeconds: 0,
  intervalSeconds: 0,
  message: "",
};

export const brokerTokenShape: Shape<CompleteBrokerToken> = {
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

/** An answer to DeleteItem, when it holds all that the contract promises. */
export const readDeletion = (answer: unknown): CompleteDeleteItemResponse | undefined =>
  rebuild<CompleteDeleteItemResponse>(deleteItemResponseShape, answer);

/** An answer to an exchange, when it holds all that its status promises. */
export const readExchange = (answer: unknown): CompleteExchangeResponse | undefined => {
  const exchange = rebuild<CompleteExchangeResponse>(exchangeResponseShape, answer);
  const { brokerToken: issued }: { readonly brokerToken?: unknown } = Object(answer);
  const brokerToken = rebuild<CompleteBrokerToken>(brokerTokenShape, issued);
  const isComplete =
    exchange?.status === "approved" ? exchange.accessToken && brokerToken?.accessToken : exchange?.status;
  return exchange && isComplete ? { ...exchange, ...(brokerToken && { brokerToken }) } : undefined;
};
