import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import * as inExpress from "@platform-rpc/broker/express";
import * as inFastify from "@platform-rpc/broker/fastify";
import * as inHono from "@platform-rpc/broker/hono";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";

// The broker token of a device login on a running platform, verified with the keys that the platform publishes.
const { FIXTURE = "{}" } = process.env;
const { baseUrl, token, approvedCode } = JSON.parse(FIXTURE);
const exchanged = await fetch(`${baseUrl}/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
  },
  body: JSON.stringify({ deviceCode: approvedCode }),
});
const { brokerToken }: { brokerToken: { accessToken: string; principalId: string } } = JSON.parse(
  await exchanged.text(),
);

const verifier = createBrokerTokenVerifier({
  keys: new URL("/.well-known/jwks.json", baseUrl),
  issuer: "https://platform.example",
  audience: "https://platform.example/broker",
});
const options = { verifier, publicUrl: "https://broker.example" };

const expressApp = express();
expressApp.get("/", inExpress.createBrokerAuth(options), (request, response) => {
  response.send(inExpress.brokerTokenOf(request).principalId);
});

const fastifyApp = fastify();
fastifyApp.get("/", { onRequest: inFastify.createBrokerAuth(options) }, async (request) => {
  return inFastify.brokerTokenOf(request).principalId;
});
await fastifyApp.ready();

const honoApp = new Hono();
honoApp.get("/", inHono.createBrokerAuth(options), (context) =>
  context.text(inHono.brokerTokenOf(context).principalId),
);

const apps: Readonly<Record<string, RequestListener>> = {
  Express: expressApp,
  Fastify: (request, response) => fastifyApp.routing(request, response),
  Hono: getRequestListener(honoApp.fetch),
};
for (const [framework, app] of Object.entries(apps)) {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const accepted = await fetch(url, { headers: { Authorization: `Bearer ${brokerToken.accessToken}` } });
  if ((await accepted.text()) !== brokerToken.principalId) throw new Error(`${framework}: the token is not accepted.`);
  const rejected = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  if (rejected.status !== 401 || !rejected.headers.get("WWW-Authenticate")?.includes('error="invalid_token"'))
    throw new Error(`${framework}: a token for another audience is not rejected.`);
  server.close();
}
console.log("broker: passed");
