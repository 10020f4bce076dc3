import type { Document } from "@platform-rpc/server";
import { type Context, Hono } from "hono";

/** The health of the process, for any Host. Some proxies ask with OPTIONS, for the root unless a path is set. */
export function healthRoutes(readiness: () => Document): Hono {
  const own = { "Cache-Control": "no-store", Allow: "GET, HEAD, OPTIONS" };
  const alive = (context: Context) => context.json({ status: "ok" }, 200, own);
  const ready = () => {
    const { status, contentType, body } = readiness();
    const headers = { "Content-Type": contentType, ...own };
    return new Response(Buffer.from(body), { status, headers });
  };
  return new Hono()
    .on(["GET", "OPTIONS"], "/healthz", alive)
    .on(["GET", "OPTIONS"], "/readyz", ready)
    .options("/", ready);
}
