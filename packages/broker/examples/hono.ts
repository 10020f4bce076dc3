import { serve } from "@hono/node-server";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/hono";
import { Hono } from "hono";

const verifier = createBrokerTokenVerifier({
  keys: new URL("https://id.example/.well-known/jwks.json"),
  issuer: "https://id.example",
  audience: "https://broker.example",
});
const brokerAuth = createBrokerAuth({ verifier, publicUrl: "https://broker.example" });

const app = new Hono();
app.post("/run", brokerAuth, (context) => {
  const { principalId, scopes } = brokerTokenOf(context);
  return context.json({ principalId, scopes });
});
serve({ fetch: app.fetch, port: 3000 });
