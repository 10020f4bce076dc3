import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";

const { ACCOUNTS_URL = "http://127.0.0.1:8082", PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const session = createDeviceSession({
  issuer: ACCOUNTS_URL,
  resource: PLATFORM_URL,
  clientId: "platform-cli",
  scopes: ["vault.items:read"],
  store: createMemorySessionStore(),
});
await session.logIn({
  onPrompt: ({ userCode, verificationUri }) => console.log(`Open ${verificationUri} and enter ${userCode}`),
});

/** Calls an operation of the member API. `token()` renews the access token if necessary. */
async function call(operation: string, request: object) {
  const { accessToken } = await session.token();
  const response = await fetch(`${ACCOUNTS_URL}/platform.accounts.v1.MemberVaultService/${operation}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${accessToken.reveal()}`,
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
    },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

const { changes } = await call("ListChanges", { vaultId: "demo-vault", afterSequence: 0, limit: 100 });
for (const { item } of changes) console.log(item.itemId, item.kind, item.version, item.deleted ? "deleted" : "live");
