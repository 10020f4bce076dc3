import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/fastify";
import { fastify } from "fastify";

const verifier = createBrokerTokenVerifier({
  keys: new URL("https://id.example/.well-known/jwks.json"),
  issuer: "https://id.example",
  audience: "https://broker.example",
});
const onRequest = createBrokerAuth({ verifier, publicUrl: "https://broker.example" });

const app = fastify();
app.post("/run", { onRequest }, async (request) => {
  const { principalId, scopes } = brokerTokenOf(request);
  return { principalId, scopes };
});
await app.listen({ port: 3000 });
