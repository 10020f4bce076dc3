import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { BrokerToken, ExchangeMcpOauthDeviceAuthorizationResponse } from "@platform-rpc/types";
import type { ExchangeResult } from "./exchange-device-code.js";

type Answered = Extract<ExchangeResult, { ok: true }>;

/** What each status means and what to do, for a person. */
const sentences: Readonly<Record<Exclude<Answered["status"], "access_denied">, string>> = {
  approved: "The user has approved. Use the tokens until they expire.",
  authorization_pending: "The user has not decided yet. Poll again after the interval.",
  slow_down: "You poll too often. Wait for the new, longer interval before each poll.",
  expired_token: "The device code has expired. Start a new device authorization.",
};
/** Why access is denied, and what to do. */
const denials: Readonly<Record<Extract<Answered, { status: "access_denied" }>["because"], string>> = {
  denied: "The device authorization was denied. Stop polling.",
  no_scopes:
    "The user has approved, but this OAuth client may be granted none of the approved scopes. Stop polling, and ask an administrator to allowlist the operations that it needs.",
  burned:
    "The approval cannot be used: its approver was not active, or none of its scopes could be granted. Stop polling, and start a new device authorization once that is put right.",
};

/** Converts the result of an exchange to its message. Sets every field, also empty ones. */
export function exchangeResponse(result: Answered): ExchangeMcpOauthDeviceAuthorizationResponse {
  const base = {
    $typeName: "platform.v1.ExchangeMcpOauthDeviceAuthorizationResponse",
    status: result.status,
    tokenType: "",
    accessToken: "",
    expiresInSeconds: 0,
    intervalSeconds: 0,
    message: result.status === "access_denied" ? denials[result.because] : sentences[result.status],
  } as const;
  switch (result.status) {
    case "approved":
      return {
        ...base,
        tokenType: "Bearer",
        accessToken: result.accessToken,
        expiresInSeconds: result.grant.expiresAt - result.grant.issuedAt,
        brokerToken: brokerToken(result),
      };
    case "authorization_pending":
    case "slow_down":
      return { ...base, expiresInSeconds: result.expiresInSeconds, intervalSeconds: result.intervalSeconds };
    default:
      return base;
  }
}

function brokerToken({ grant, brokerToken }: Extract<Answered, { status: "approved" }>): BrokerToken {
  return {
    $typeName: "platform.v1.BrokerToken",
    accessToken: brokerToken,
    tokenId: grant.brokerTokenId,
    tenantId: grant.tenantId,
    principalId: grant.principalId,
    scopes: [...grant.scopes],
    role: "agent",
    popKeyId: grant.popKeyId,
    issuedAt: timestampFromMs(grant.issuedAt * 1000),
    expiresAt: timestampFromMs(grant.expiresAt * 1000),
  };
}
