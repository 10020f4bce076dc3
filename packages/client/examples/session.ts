import { createPlatformClient } from "@platform-rpc/client";
import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";

const session = createDeviceSession({
  issuer: "https://accounts.example.com",
  clientId: "my-agent",
  store: createMemorySessionStore(), // keep it: in a file of mode 0600, a keyring, or IndexedDB
  onEvent: ({ kind }) => console.error(`session: ${kind}`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}
export const client = createPlatformClient({ baseUrl: "https://api.example.com", token: session.token });
