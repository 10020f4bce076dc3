import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";

/** Starts an HTTPS server for `app.example` on loopback, on a free port. */
export async function startDocumentServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const subject = ["-subj", "/CN=app.example", "-addext", "subjectAltName=DNS:app.example"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"];
  const pem = execFileSync("openssl", ["req", "-x509", ...key, "-days", "1", ...subject], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ca = pem.slice(pem.indexOf("-----BEGIN CERTIFICATE-----"));
  const server = createServer({ key: pem, cert: ca }, answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    /** The options with which a document is fetched from it. */
    trust: { ca, port, isAllowed: () => true },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
