import { createServer } from "node:http";
import { createBrokerTokenVerifier, isBrokerTokenError } from "@platform-rpc/broker";

const verifier = createBrokerTokenVerifier({
  keys: new URL("https://id.example/.well-known/jwks.json"),
  issuer: "https://id.example",
  audience: "https://broker.example",
});

createServer(async (request, response) => {
  const { method = "", headers } = request;
  const { authorization, dpop } = headers;
  const url = `https://broker.example${request.url}`;
  try {
    const { principalId } = await verifier.verify({ method, url, authorization, dpop });
    response.end(`Hello ${principalId}`);
  } catch (error) {
    const { status, headers, message } = isBrokerTokenError(error) ? error : { status: 500, headers: {}, message: "" };
    response.writeHead(status, headers).end(message);
  }
}).listen(3000);
