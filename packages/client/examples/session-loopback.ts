import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { createBrowserSession } from "@platform-rpc/client/session-loopback";

const { ACCOUNTS_URL = "http://127.0.0.1:8082", PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const options = {
  issuer: ACCOUNTS_URL,
  resource: PLATFORM_URL,
  clientId: "demo-agent",
  scopes: ["vault.items:delete"],
  store: createFileSessionStore(`${homedir()}/.my-agent/session.json`),
};
const session = createBrowserSession(options);

/** Opens a page, and shows its address in case no browser opens. */
function open(url: string): void {
  console.error(`Open on this computer: ${url}`);
  execFile("xdg-open", [url], () => {});
}

if ((await session.scopes()) === undefined) {
  try {
    await session.logIn({ onPrompt: ({ authorizationUri }) => open(authorizationUri) });
  } catch (error) {
    if (!isPlatformError(error) || error.code !== "unimplemented") throw error;
    await createDeviceSession(options).logIn({
      onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
    });
  }
}

const client = createPlatformClient({ baseUrl: PLATFORM_URL, token: session.token });
const { item } = await client.vault.deleteItem({ vaultId: "demo-vault", itemId: "demo-login", baseVersion: 1 });
console.log(`${item.itemId} is deleted at version ${item.version}`);
