import { type Served, serve } from "./serve.ts";
import type { Tenant } from "./tenant.ts";

/** Serves an empty page that loads a script, at every path. */
export function servePages(script: string): Promise<Served> {
  const page = `<!doctype html><link rel="icon" href="data:,"><script src="/program.js"></script>`;
  return serve((request, response) => {
    const [type, body] = request.url === "/program.js" ? ["text/javascript", script] : ["text/html", page];
    response.writeHead(200, { "Content-Type": type }).end(body);
  });
}

/** Serves an approval endpoint: POST /<principal>/<user code> approves. Accepts cross-origin requests. */
export function serveApprovals(tenant: Tenant): Promise<Served> {
  return serve((request, response) => {
    const [, principalId = "", userCode = ""] = request.url?.split("/") ?? [];
    const answer = (status: number) => () => response.writeHead(status, { "Access-Control-Allow-Origin": "*" }).end();
    tenant.approve(principalId, userCode).then(answer(204), answer(500));
  });
}
