import type { DeviceAuthorizationResponse, TokenEndpointRequestOptions } from "oauth4webapi";
import { newId } from "../call/new-id.js";
import type { PollAnswer } from "../device/poll-until-approved.js";
import { type AuthorizationServer, longestTime, type RequestOptions, type Tokens } from "./authorization-server.js";

/** The answer to a poll. It has tokens once the person has approved. */
export interface TokenPoll extends PollAnswer {
  readonly tokens?: Tokens;
}

/** Starts a device authorization for a key (RFC 8628 section 3.1). */
export async function startDeviceAuthorization(
  { oauth, metadata, client, none, resource, http, attempt, thumbprint }: AuthorizationServer,
  scopes: readonly string[],
  { keyPair, signal }: RequestOptions,
): Promise<DeviceAuthorizationResponse> {
  const parameters = {
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    dpop_jkt: await thumbprint(keyPair),
  };
  return attempt(async () => {
    const answer = await oauth.deviceAuthorizationRequest(metadata, client, none, parameters, http(signal));
    const started = await oauth.processDeviceAuthorizationResponse(metadata, client, answer);
    const { expires_in, interval = 0 } = started;
    return { ...started, expires_in: Math.min(expires_in, longestTime), interval: Math.min(interval, longestTime) };
  });
}

const expected = ["authorization_pending", "slow_down", "access_denied", "expired_token"];

/** Polls for the tokens of a device code (RFC 8628 sections 3.4 and 3.5). */
export async function pollDeviceAuthorization(
  { oauth, metadata, client, none, requestTokens, isAnswer }: AuthorizationServer,
  deviceCode: string,
  request: RequestOptions,
): Promise<TokenPoll> {
  // Until the server says that the code has expired, some time is left.
  const pending = { expiresInSeconds: 1, intervalSeconds: 0, requestId: newId() };
  const make = async (options: TokenEndpointRequestOptions) => {
    const answer = await oauth.deviceCodeGrantRequest(metadata, client, none, deviceCode, options);
    return oauth.processDeviceCodeResponse(metadata, client, answer);
  };
  try {
    return { ...pending, status: "approved", tokens: await requestTokens(request, make, expected) };
  } catch (thrown) {
    if (!isAnswer(thrown, ...expected)) throw thrown;
    return { ...pending, status: thrown.error, ...(thrown.error === "expired_token" && { expiresInSeconds: 0 }) };
  }
}
