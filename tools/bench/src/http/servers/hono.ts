import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { fixtureResponse, path } from "../fixture.ts";
import { addressOf, type Listening } from "./listen.ts";

/** Starts Hono on Node. */
export function startHono(): Promise<Listening> {
  const app = new Hono();
  app.post(path, async (context) => {
    const { itemId } = await context.req.json<{ itemId: string }>();
    return context.json(fixtureResponse(itemId));
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(addressOf(server.address())));
  });
}
