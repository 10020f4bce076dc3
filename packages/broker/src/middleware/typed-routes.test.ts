import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { expectTypeOf, it } from "vitest";
import * as inExpress from "../express/index.js";
import * as inFastify from "../fastify/index.js";
import * as inHono from "../hono/index.js";
import { type BrokerTokenClaims, createBrokerTokenVerifier } from "../index.js";

const verifier = createBrokerTokenVerifier({ keys: () => undefined, issuer: "iss", audience: "broker" });
const options = { verifier, publicUrl: "https://broker.example" };

it("a route of Express keeps the types of its parameters", () => {
  const app = express();
  app.use("/all", inExpress.createBrokerAuth(options));
  app.post("/items/:itemId", inExpress.createBrokerAuth(options), (request, response) => {
    expectTypeOf(request.params.itemId).toEqualTypeOf<string>();
    expectTypeOf(inExpress.brokerTokenOf(request)).toEqualTypeOf<BrokerTokenClaims>();
    response.end();
  });
});

it("a route of Fastify keeps the types of its body and replies", () => {
  const app = fastify();
  const onRequest = inFastify.createBrokerAuth(options);
  app.addHook("onRequest", onRequest);
  app.post<{ Params: { itemId: string }; Body: { title: string }; Reply: { 200: { ok: boolean }; 404: string } }>(
    "/items/:itemId",
    { onRequest, preHandler: [onRequest], schema: { body: { type: "object" } } },
    async (request, reply) => {
      expectTypeOf(request.params.itemId).toEqualTypeOf<string>();
      expectTypeOf(request.body.title).toEqualTypeOf<string>();
      expectTypeOf(inFastify.brokerTokenOf(request)).toEqualTypeOf<BrokerTokenClaims>();
      return reply.code(200).send({ ok: true });
    },
  );
});

it("a route of Hono keeps the types of its variables, parameters and responses", () => {
  const app = new Hono<{ Variables: { locale: string } }>();
  app.use("*", inHono.createBrokerAuth(options));
  app.post("/items/:itemId", inHono.createBrokerAuth(options), (context) => {
    expectTypeOf(context.req.param("itemId")).toEqualTypeOf<string>();
    expectTypeOf(context.var.locale).toEqualTypeOf<string>();
    expectTypeOf(inHono.brokerTokenOf(context)).toEqualTypeOf<BrokerTokenClaims>();
    return context.json({ ok: true });
  });
});
