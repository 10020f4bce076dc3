import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/express";
import express from "express";

const verifier = createBrokerTokenVerifier({
  keys: new URL("https://id.example/.well-known/jwks.json"),
  issuer: "https://id.example",
  audience: "https://broker.example",
});
const brokerAuth = createBrokerAuth({ verifier, publicUrl: "https://broker.example" });

const app = express();
app.post("/run", brokerAuth, (request, response) => {
  const { principalId, scopes } = brokerTokenOf(request);
  response.json({ principalId, scopes });
});
app.listen(3000);
