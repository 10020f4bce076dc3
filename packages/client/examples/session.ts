import { homedir } from "node:os";
import { createPlatformClient } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";

const baseUrl = "https://api.example.com";
const session = createDeviceSession({
  issuer: "https://accounts.example.com",
  resource: baseUrl,
  clientId: "my-agent",
  store: createFileSessionStore(`${homedir()}/.my-agent/session.json`),
  onEvent: ({ kind }) => console.error(`session: ${kind}`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}
export const client = createPlatformClient({ baseUrl, token: session.token });
