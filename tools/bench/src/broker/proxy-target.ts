import { Agent, request as send } from "node:http";
import { serveTarget } from "../load/serve-target.ts";
import { listen } from "../platform/start-servers.ts";

/** The least that a proxy on node:http does: reads the body, sends it on over a kept connection, and streams the answer back. */
const [upstreamPort, secret = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, scheduling: "lifo" });
const { port } = await listen((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.once("end", () => {
    const { method, url = "", headers } = request;
    const path = url.slice(url.indexOf("/", 1));
    const sent = { ...headers, host: `127.0.0.1:${upstreamPort}`, authorization: `Bearer ${secret}` };
    const upstream = send({ host: "127.0.0.1", port: upstreamPort, agent, method, path, headers: sent });
    upstream.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.end(Buffer.concat(chunks));
  });
});
serveTarget(port);
