import { readFileSync } from "node:fs";
import { createPlatformClient, isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";
import { createProofKey } from "@platform-rpc/client/pop";

const {
  ACCOUNTS_URL = "http://127.0.0.1:8082",
  PLATFORM_URL = "http://127.0.0.1:8080",
  BROKER_URL = "http://127.0.0.1:9081/run",
  // The token with which this agent collects the answers to its own requests.
  TOKEN_FILE = "data/demo/access.token",
} = process.env;

// The tokens are bound to this key: whoever copies one cannot use it at a broker.
const key = await createProofKey();

// Device login (RFC 8628) with the limits that the agent asks for (RFC 9396). The person may allow less.
const hour = 60 * 60;
const limits = {
  type: "vault",
  vaults: ["demo-vault"],
  max_deletions: 1,
  expires_at: Math.floor(Date.now() / 1000) + hour,
};
const response = await fetch(`${ACCOUNTS_URL}/oauth/device_authorization`, {
  method: "POST",
  body: new URLSearchParams({
    client_id: "demo-agent",
    scope: "vault.items:delete",
    authorization_details: JSON.stringify([limits]),
    dpop_jkt: key.thumbprint,
  }),
});
if (!response.ok) throw new Error(await response.text());
const started = await response.json();
console.log(`Open ${started.verification_uri} and enter ${started.user_code}`);

// Waits for the person, and exchanges the device code. A retry of the exchange returns the same tokens.
const own = createPlatformClient({ baseUrl: PLATFORM_URL, token: () => readFileSync(TOKEN_FILE, "utf8") });
const session = await waitForDeviceAuthorization(own, started.device_code);
console.log("approved");

const agent = createPlatformClient({ baseUrl: PLATFORM_URL, token: session.token });
for (const itemId of ["demo-login", "demo-note"]) {
  try {
    const { item } = await agent.vault.deleteItem({ vaultId: "demo-vault", itemId, baseVersion: 1 });
    console.log(`${itemId} is deleted at version ${item.version}`);
  } catch (error) {
    if (!isPlatformError(error, "DELEGATION_EXHAUSTED")) throw error;
    console.log(`${itemId} is not deleted: ${error.detail.used} of ${error.detail.allowed} deletions are used`);
  }
}

// A broker checks the token and the proof without a call to the platform. Each request needs a new proof.
const accessToken = session.brokerToken.accessToken.reveal();
const proof = await key.createProof({ htm: "POST", htu: BROKER_URL, accessToken });
const headers = { Authorization: `DPoP ${accessToken}`, DPoP: proof };
const answer = await fetch(BROKER_URL, { method: "POST", headers });
console.log(`the broker answers ${answer.status}: ${await answer.text()}`);
