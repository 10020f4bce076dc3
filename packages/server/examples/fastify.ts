import { createListener, type Platform } from "@platform-rpc/server";
import { fastify } from "fastify";
import { pino } from "pino";

export function createApp(platform: Platform) {
  const listener = createListener(platform, { basePath: "/rpc", logger: pino() });
  const app = fastify();
  app.all("/rpc/*", {
    // Runs before Fastify reads the body.
    async onRequest(request, reply) {
      reply.hijack();
      listener.handle(request.raw, reply.raw);
    },
    handler: () => {},
  });
  app.addHook("onClose", () => listener.close());
  return app;
}
