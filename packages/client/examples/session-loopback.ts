import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { createBrowserSession } from "@platform-rpc/client/session-loopback";

const baseUrl = "https://api.example.com";
const options = {
  issuer: "https://accounts.example.com",
  resource: baseUrl,
  clientId: "my-agent",
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
export const client = createPlatformClient({ baseUrl, token: session.token });
