import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { FetchInit, FetchResponse } from "@platform-rpc/client";

/** The largest answer that is read, in bytes: as large as that which a client reads. */
const largestBytes = 1_048_576;

/** A `fetch` for the calls to the platform, of which each request of an agent is one. It takes half of the CPU time of the global one. */
export function fetchPlatform(url: string, { method, headers, body, signal }: FetchInit): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? requestHttps : requestHttp;
    const sent = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    // With the agent of the process: it keeps connections, and uses a proxy as the global `fetch` does.
    const request = send(url, { method, headers: sent }, (answer) => readAnswer(answer).then(resolve, reject));
    request.once("error", reject);
    signal.addEventListener("abort", () => request.destroy(new Error("The call was aborted.")));
    request.end(body);
  });
}

function readAnswer(answer: IncomingMessage): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > largestBytes) answer.destroy(new Error("The answer is too large."));
      else chunks.push(chunk);
    });
    answer.once("error", reject);
    answer.once("end", () => {
      const { statusCode: status = 0, headersDistinct } = answer;
      const received = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const text = async () => Buffer.concat(chunks).toString();
      resolve({ status, headers: new Headers(received), body: null, text });
    });
  });
}
