import { homedir } from "node:os";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import OpenAI from "openai";

const { ACCOUNTS_URL = "http://127.0.0.1:8082", OPENAI_BASE_URL = "http://127.0.0.1:8090/api.openai.com/v1" } =
  process.env;
const session = createDeviceSession({
  issuer: ACCOUNTS_URL,
  // What `broker_audience` is in the metadata of the accounts origin. This one is that of the demo.
  resource: "https://platform.example/broker",
  // Or a client that an administrator has registered, whose name you then see in Activity.
  clientId: "platform-cli",
  scopes: ["vault.items:use"],
  bounds: { actions: ["use"], maxUses: 50 },
  // The library cannot make DPoP proofs.
  dpop: false,
  store: createFileSessionStore(`${homedir()}/.my-agent/broker.json`),
});

if ((await session.scopes()) === undefined) {
  await session.logIn({
    onPrompt: ({ userCode, verificationUri }) => console.error(`Open ${verificationUri} and enter ${userCode}`),
  });
}

const openai = new OpenAI({
  baseURL: OPENAI_BASE_URL,
  // Called for each request. The session renews the token when it is about to expire, and asks nobody.
  apiKey: async () => (await session.token()).accessToken.reveal(),
});
for await (const model of openai.models.list()) console.log(model.id);
