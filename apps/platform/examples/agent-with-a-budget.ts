import { homedir } from "node:os";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";

const { ACCOUNTS_URL = "http://127.0.0.1:8082", PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const session = createDeviceSession({
  issuer: ACCOUNTS_URL,
  resource: PLATFORM_URL,
  clientId: "demo-agent",
  scopes: ["vault.items:delete"],
  bounds: { vaults: ["demo-vault"], maxDeletions: 2, expiresAt: new Date(Date.now() + 3 * 86_400_000) },
  store: createFileSessionStore(`${homedir()}/.my-agent/budget.json`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}

const client = createPlatformClient({ baseUrl: PLATFORM_URL, token: session.token });
for (const itemId of ["demo-login", "demo-note", "demo-card"]) {
  try {
    const { item } = await client.vault.deleteItem({ vaultId: "demo-vault", itemId, baseVersion: 1 });
    console.log(`${itemId} is deleted at version ${item.version}`);
  } catch (error) {
    if (!isPlatformError(error, "DELEGATION_EXHAUSTED")) throw error;
    const { allowed, used, page } = error.detail;
    console.log(`${itemId} is not deleted: ${used} of ${allowed} deletions are used. Allow more at ${page}`);
    break;
  }
}
