import { homedir } from "node:os";
import { createPlatformClient } from "@platform-rpc/client";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";

const session = createDeviceSession({
  issuer: "https://accounts.example.com",
  clientId: "my-agent",
  store: createFileSessionStore(`${homedir()}/.my-agent/session.json`),
  onEvent: ({ kind }) => console.error(`session: ${kind}`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}
export const client = createPlatformClient({ baseUrl: "https://api.example.com", token: session.token });
