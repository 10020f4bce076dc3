import { homedir } from "node:os";
import { createPlatformClient } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";

const { ACCOUNTS_URL = "http://127.0.0.1:8082", PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const session = createDeviceSession({
  issuer: ACCOUNTS_URL,
  resource: PLATFORM_URL,
  clientId: "demo-agent",
  scopes: ["vault.items:delete"],
  store: createFileSessionStore(`${homedir()}/.my-agent/session.json`),
  onEvent: ({ kind }) => console.error(`session: ${kind}`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}

const client = createPlatformClient({ baseUrl: PLATFORM_URL, token: session.token });
const { item } = await client.vault.deleteItem({ vaultId: "demo-vault", itemId: "demo-login", baseVersion: 1 });
console.log(`${item.itemId} is deleted at version ${item.version}`);
