import { serveTarget } from "../load/serve-target.ts";
import { listen } from "../platform/start-servers.ts";

const answer = Buffer.from(JSON.stringify({ id: "answer-1", text: "The answer of an API. ".repeat(45) }));

/** An API that reads each request and answers with 1 kB of JSON, if the request has the secret. */
const [secret = ""] = process.argv.slice(2);
const { port } = await listen((request, response) => {
  request.resume().once("end", () => {
    const status = request.headers.authorization === `Bearer ${secret}` ? 200 : 401;
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": answer.length }).end(answer);
  });
});
serveTarget(port);
