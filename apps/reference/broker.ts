import { createServer } from "node:http";
import { createBrokerTokenVerifier, isBrokerTokenError } from "@platform-rpc/broker";

const { PORT = "9081", PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const publicUrl = `http://127.0.0.1:${PORT}`;
const verifier = createBrokerTokenVerifier({
  keys: new URL(`${PLATFORM_URL}/.well-known/jwks.json`),
  issuer: "https://platform.example",
  audience: "https://platform.example/broker",
});

const server = createServer(async ({ method = "", url = "", headers: { authorization, dpop } }, response) => {
  try {
    // The URL that agents use: never that of the Host header, which the sender controls.
    const { principalId } = await verifier.verify({ method, url: publicUrl + url, authorization, dpop });
    response.end(`an agent of ${principalId}`);
  } catch (error) {
    if (!isBrokerTokenError(error)) console.error(error);
    const { status, headers, message } = isBrokerTokenError(error) ? error : { status: 500, headers: {}, message: "" };
    response.writeHead(status, headers).end(message);
  }
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`a broker at ${publicUrl}/run`));
