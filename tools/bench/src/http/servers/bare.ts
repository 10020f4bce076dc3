import { fixtureResponse } from "../fixture.ts";
import { type Listening, listen } from "./listen.ts";

/** Starts the least that a JSON server on node:http does: parses the body, and writes the response in one piece. */
export function startBare(): Promise<Listening> {
  return listen((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const body = JSON.stringify(fixtureResponse(JSON.parse(text).itemId));
      response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))]);
      response.end(body);
    });
  });
}
