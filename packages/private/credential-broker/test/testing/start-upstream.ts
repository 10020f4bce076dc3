import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as an upstream received it. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

const names = ["api.example", "rebound.example", "api.openai.com", "api.github.com"].map((name) => `DNS:${name}`);
const subject = ["-subj", "/CN=api.example", "-addext", `subjectAltName=${names}`];
const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"];
const pem = execFileSync("openssl", ["req", "-x509", ...key, "-days", "1", ...subject], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});

export const ca = pem.slice(pem.indexOf("-----BEGIN CERTIFICATE-----"));

/** Starts an https server on loopback, with its own certificate authority. It ends with the test. */
export async function startUpstream() {
  const state: { answer: Answer; readonly received: Received[]; connections: number } = {
    answer: (response) => response.end("done"),
    received: [],
    connections: 0,
  };
  const server = createServer({ key: pem, cert: ca }, async (request, response) => {
    const body = (await buffer(request)).toString();
    const received = { method: request.method, url: request.url, headers: request.headers, body };
    state.received.push(received);
    state.answer(response, received);
  }).listen(0, "127.0.0.1");
  server.on("connection", () => {
    state.connections += 1;
  });
  await once(server, "listening");
  const address = server.address();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, { port: typeof address === "object" ? (address?.port ?? 0) : 0, server });
}
