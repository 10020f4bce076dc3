import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders, request as send } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import * as inExpress from "../../src/express/index.js";
import * as inFastify from "../../src/fastify/index.js";
import { prove, setUp } from "../../src/fixtures/issuer.js";
import * as inHono from "../../src/hono/index.js";
import type { BrokerTokenError } from "../../src/index.js";
import type { BrokerAuthOptions } from "../../src/middleware/authenticate.js";

interface Answer {
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

/** Starts an app whose `POST /run` returns the principal. `POST /open` reads claims without verification. */
type Start = (options: BrokerAuthOptions) => Promise<number>;

const startExpress: Start = async (options) => {
  const app = express();
  app.set("env", "test");
  const router = express.Router();
  router.post("/run", inExpress.createBrokerAuth(options), (request, response) => {
    response.json({ principalId: inExpress.brokerTokenOf(request).principalId });
  });
  router.post("/open", (request, response) => {
    response.json(inExpress.brokerTokenOf(request));
  });
  app.use("/v1", router);
  return listen(createServer(app));
};

const startFastify: Start = async (options) => {
  const app = fastify();
  const onRequest = inFastify.createBrokerAuth(options);
  await app.register(
    async (routes) => {
      routes.post("/run", { onRequest }, async (request) => ({
        principalId: inFastify.brokerTokenOf(request).principalId,
      }));
      routes.post("/open", async (request) => inFastify.brokerTokenOf(request));
    },
    { prefix: "/v1" },
  );
  await app.ready();
  onTestFinished(() => app.close());
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  return Number(new URL(address).port);
};

const startHono: Start = async (options) => {
  const routes = new Hono();
  routes.post("/run", inHono.createBrokerAuth(options), (context) =>
    context.json({ principalId: inHono.brokerTokenOf(context).principalId }),
  );
  routes.post("/open", (context) => context.json(inHono.brokerTokenOf(context)));
  const app = new Hono().route("/v1", routes).onError((_, context) => context.text("", 500));
  return listen(createServer(getRequestListener(app.fetch)));
};

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A broker behind a proxy that removes `/api`: callers see `https://broker.example.com/api/v1/run`. */
async function startBroker(start: Start, options: Partial<BrokerAuthOptions> = {}) {
  const { verifier, bearer, bound } = await setUp();
  const rejected: BrokerTokenError[] = [];
  const publicUrl = "https://broker.example.com/api";
  const port = await start({ verifier, publicUrl, onRejected: (error) => rejected.push(error), ...options });
  const htu = `${publicUrl}/v1/run`;
  /** By `node:http`, which sends any Host and any number of equal headers. */
  const call = async (headers: OutgoingHttpHeaders, path = "/v1/run?page=2"): Promise<Answer> => {
    const outgoing = send({ port, host: "127.0.0.1", method: "POST", path, headers }).end();
    const [response] = await once(outgoing, "response");
    const text: string = (await response.setEncoding("utf8").toArray()).join("");
    const type: string | undefined = response.headers["content-type"];
    return {
      status: response.statusCode,
      challenge: response.headers["www-authenticate"],
      type,
      body: type?.startsWith("application/json") ? JSON.parse(text) : text,
    };
  };
  return { call, bearer, bound, htu, rejected };
}

describe.each<[string, Start]>([
  ["Express", startExpress],
  ["Fastify", startFastify],
  ["Hono", startHono],
])("createBrokerAuth in %s", (_, start) => {
  it("gives the handler the claims of a Bearer token", async () => {
    const { call, bearer, rejected } = await startBroker(start);
    const answer = await call({ Authorization: `Bearer ${bearer}` });
    expect(answer).toMatchObject({ status: 200, body: { principalId: "p-1" } });
    expect(rejected).toEqual([]);
  });

  it("accepts a proof for the public URL once", async () => {
    const { call, bound, htu } = await startBroker(start);
    const headers = { Authorization: `DPoP ${bound}`, DPoP: await prove(bound, { htu }) };
    expect(await call(headers)).toMatchObject({ status: 200, body: { principalId: "p-1" } });
    expect(await call(headers)).toMatchObject({ status: 401, body: { reason: "PROOF_REPLAYED" } });
  });

  it("ignores Host and X-Forwarded-Host, so that a proof for another server is rejected", async () => {
    const { call, bound } = await startBroker(start);
    const dpop = await prove(bound, { htu: "https://evil.example/api/v1/run" });
    const forwarded = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    const headers = { Host: "evil.example", ...forwarded, Authorization: `DPoP ${bound}`, DPoP: dpop };
    expect(await call(headers)).toMatchObject({ status: 401, body: { reason: "PROOF_URL" } });
  });

  it("rejects two DPoP headers", async () => {
    const { call, bound, htu } = await startBroker(start);
    const proofs = [await prove(bound, { htu }), await prove(bound, { htu })];
    const answer = await call({ Authorization: `DPoP ${bound}`, DPoP: proofs });
    expect(answer).toMatchObject({ status: 401, body: { reason: "PROOF_NOT_SINGLE" } });
  });

  it("responds with the challenge and the reason, and reports the rejection", async () => {
    const { call, rejected } = await startBroker(start);
    expect(await call({})).toEqual({
      status: 401,
      challenge: 'Bearer, DPoP algs="ES256 Ed25519"',
      type: expect.stringMatching(/^application\/json/),
      body: {
        reason: "TOKEN_MISSING",
        message: "An access token is required. Send an Authorization header with the scheme DPoP or Bearer.",
      },
    });
    expect(rejected.map(({ reason }) => reason)).toEqual(["TOKEN_MISSING"]);
  });

  it("leaves errors that are not rejections to the framework", async () => {
    const verifier = { verify: () => Promise.reject(new Error("broken")) };
    const { call, rejected } = await startBroker(start, { verifier });
    expect((await call({})).status).toBe(500);
    expect(rejected).toEqual([]);
  });

  it.each<[string, () => void]>([
    [
      "throws",
      () => {
        throw new Error("broken log");
      },
    ],
    ["returns a promise that rejects", () => Promise.reject(new Error("broken log"))],
  ])("responds as usual when onRejected %s", async (_, onRejected) => {
    const { call } = await startBroker(start, { onRejected });
    expect(await call({})).toMatchObject({ status: 401, body: { reason: "TOKEN_MISSING" } });
  });

  it("brokerTokenOf throws on a route without createBrokerAuth", async () => {
    const { call, bearer } = await startBroker(start);
    expect((await call({ Authorization: `Bearer ${bearer}` }, "/v1/open")).status).toBe(500);
  });
});

it("createBrokerAuth in Express reports a response that was sent during the verification", async () => {
  const reported: unknown[] = [];
  const app = express();
  app.use((_, response, next) => {
    response.status(503).end();
    next();
  });
  app.post(
    "/run",
    inExpress.createBrokerAuth({ verifier: (await setUp()).verifier, publicUrl: "https://broker.example.com" }),
  );
  const onError: express.ErrorRequestHandler = (error, _request, _response, next) => {
    reported.push(error.code);
    next();
  };
  app.use(onError);
  const port = await listen(createServer(app));
  expect((await fetch(`http://127.0.0.1:${port}/run`, { method: "POST" })).status).toBe(503);
  await expect.poll(() => reported).toEqual(["ERR_HTTP_HEADERS_SENT"]);
});
