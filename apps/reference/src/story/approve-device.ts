import { randomUUID } from "node:crypto";
import { isPlatformError, type PlatformClient } from "@platform-rpc/client";
import type { AdminClients } from "../admin-clients.js";
import { mustHold, type Narrator } from "./narrator.js";

/** Who and what the story is about. */
export interface Scene {
  readonly tenantId: string;
  readonly userId: string;
  readonly oauthClientId: string;
  /** What the agent asks for. */
  readonly scopes: readonly string[];
}

/** The device authorization grant (RFC 8628): start, poll, approve, exchange. */
export async function approveDevice(parts: {
  readonly admin: AdminClients;
  readonly agent: PlatformClient;
  readonly scene: Scene;
  readonly narrator: Narrator;
}): Promise<{ readonly accessToken: string; readonly tokenId: string }> {
  const { admin, agent, narrator, scene } = parts;
  const { tenantId, userId, oauthClientId, scopes } = scene;
  const { chapter, happened } = narrator;
  const { authorizations } = admin;

  chapter("The agent asks for permission (RFC 8628)");
  const started = await authorizations.startDeviceAuthorization({ tenantId, oauthClientId, scopes: [...scopes] });
  const { deviceCode, userCode, verificationUri, expiresInSeconds, intervalSeconds } = started;
  happened(
    `A device authorization is started: the user is to go to ${verificationUri} (a page of yours; this demo plays the user).`,
  );
  happened(`Its codes live for ${expiresInSeconds} s; polls are welcome every ${intervalSeconds} s.`);

  const exchange = (idempotencyKey: string) =>
    agent.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { idempotencyKey });
  const first = await exchange(randomUUID());
  mustHold(first.status === "authorization_pending", "a code is pending until the user decides");
  mustHold(first.brokerToken === undefined && first.accessToken === "", "there are no tokens before that");
  happened(`The agent polls: ${first.status}, no tokens yet, ${first.intervalSeconds} s to the next poll.`);
  const early = await exchange(randomUUID());
  mustHold(early.status === "slow_down", "a poll that comes too early is told so");
  happened(`It polls again at once: ${early.status}, the interval is now ${early.intervalSeconds} s.`);

  chapter("The user decides (private operations, behind a signed-in page)");
  const asked = await authorizations.getDeviceAuthorization({ tenantId, principalId: userId, userCode });
  mustHold(asked.status === "pending" && asked.oauthClientId === oauthClientId, "the user sees who asks");
  happened(`The user sees that “${asked.oauthClientName}” asks for ${asked.scopes.join(", ")}.`);
  const approval = { tenantId, principalId: userId, userCode, scopes: asked.scopes };
  await authorizations.approveDeviceAuthorization(approval);
  happened("The user approves.");

  chapter("The agent exchanges its device code (public operation)");
  const key = randomUUID();
  const approved = await exchange(key);
  const { brokerToken } = approved;
  mustHold(approved.status === "approved" && brokerToken !== undefined, "an approved code brings tokens, at once");
  mustHold(brokerToken.accessToken !== approved.accessToken, "the two tokens are different ones");
  mustHold(brokerToken.principalId === userId, "the tokens act for the user who approved");
  happened(`Approved: an access token (${approved.tokenType}) for ${approved.expiresInSeconds} s.`);
  happened(`And a broker token for ${brokerToken.role} with ${brokerToken.scopes.join(", ")}.`);
  const replayed = await exchange(key);
  mustHold(replayed.accessToken === approved.accessToken, "the same Idempotency-Key brings the same tokens");
  happened("The answer might have been lost: the same Idempotency-Key brings the very same tokens again.");
  const reused = await exchange(randomUUID()).catch((error: unknown) => error);
  mustHold(isPlatformError(reused, "DEVICE_CODE_CONSUMED"), "a code is good for one exchange");
  happened("With another key the code is refused: DEVICE_CODE_CONSUMED.");
  return { accessToken: approved.accessToken, tokenId: brokerToken.tokenId };
}
