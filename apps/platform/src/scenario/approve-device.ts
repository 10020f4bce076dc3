import { randomUUID } from "node:crypto";
import { isPlatformError, type PlatformClient } from "@platform-rpc/client";
import type { AdminClients } from "../rpc/admin-clients.js";
import { expectThat, type Reporter } from "./reporter.js";

export interface Fixture {
  readonly tenantId: string;
  readonly userId: string;
  readonly oauthClientId: string;
  readonly scopes: readonly string[];
}

/** Runs the device authorization grant (RFC 8628): start, poll, approve, exchange. */
export async function approveDevice(parts: {
  readonly admin: AdminClients;
  readonly agent: PlatformClient;
  readonly fixture: Fixture;
  readonly reporter: Reporter;
}): Promise<{ readonly accessToken: string; readonly tokenId: string }> {
  const { admin, agent, reporter, fixture } = parts;
  const { tenantId, userId, oauthClientId, scopes } = fixture;
  const { group, passed } = reporter;
  const { authorizations } = admin;

  group("The agent requests access (RFC 8628)");
  const started = await authorizations.startDeviceAuthorization({ tenantId, oauthClientId, scopes: [...scopes] });
  const { deviceCode, userCode, verificationUri, expiresInSeconds, intervalSeconds } = started;
  passed(`The agent starts a device authorization. The user opens ${verificationUri}; this demo acts for the user.`);
  passed(`The codes are valid for ${expiresInSeconds} s. The polling interval is ${intervalSeconds} s.`);

  const exchange = (idempotencyKey: string) =>
    agent.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { idempotencyKey });
  const first = await exchange(randomUUID());
  expectThat(first.status === "authorization_pending", "a code is pending until the user approves or denies");
  expectThat(first.brokerToken === undefined && first.accessToken === "", "a pending code returns no tokens");
  passed(`The agent polls: ${first.status}, no tokens yet, next poll in ${first.intervalSeconds} s.`);
  const early = await exchange(randomUUID());
  expectThat(early.status === "slow_down", "a poll within the interval returns slow_down");
  passed(`It polls again at once: ${early.status}, the interval is now ${early.intervalSeconds} s.`);

  group("The user approves (private operations, which the page of the accounts origin calls)");
  const asked = await authorizations.getDeviceAuthorization({ tenantId, principalId: userId, userCode });
  expectThat(
    asked.status === "pending" && asked.oauthClientId === oauthClientId,
    "the user sees the OAuth client that asks",
  );
  passed(`The user sees that “${asked.oauthClientName}” requests ${asked.scopes.join(", ")}.`);
  const approval = { tenantId, principalId: userId, userCode, scopes: asked.scopes };
  await authorizations.approveDeviceAuthorization(approval);
  passed("The user approves.");

  group("The agent exchanges its device code (public operation)");
  const key = randomUUID();
  const approved = await exchange(key);
  const { brokerToken } = approved;
  expectThat(
    approved.status === "approved" && brokerToken !== undefined,
    "the first poll after the approval returns tokens",
  );
  expectThat(brokerToken.accessToken !== approved.accessToken, "the broker token and the access token are different");
  expectThat(brokerToken.principalId === userId, "the tokens act for the user who approved");
  passed(`Approved: the agent gets an access token (${approved.tokenType}), valid for ${approved.expiresInSeconds} s.`);
  passed(`It also gets a broker token for the role ${brokerToken.role} with ${brokerToken.scopes.join(", ")}.`);
  const replayed = await exchange(key);
  expectThat(replayed.accessToken === approved.accessToken, "the same Idempotency-Key returns the same tokens");
  passed("A retry with the same Idempotency-Key, as after a lost response, returns the same tokens.");
  const reused = await exchange(randomUUID()).catch((error: unknown) => error);
  expectThat(isPlatformError(reused, "DEVICE_CODE_CONSUMED"), "a code can be exchanged once");
  passed("With another key the code is rejected: DEVICE_CODE_CONSUMED.");
  return { accessToken: approved.accessToken, tokenId: brokerToken.tokenId };
}
