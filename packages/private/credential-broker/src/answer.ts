import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { responseHeaders } from "./headers.js";
import type { AnswerMasking } from "./mask-answer.js";
import { refusal } from "./refusal.js";

/** The codings that can be decoded. An upstream was asked for none, and some send one. */
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * Gives the response of an upstream back, as it arrives, without the secrets. Waits while its reader is slower. If either side ends early,
 * so does the other.
 *
 * @throws Refusal UPSTREAM_FAILED if it cannot be read, before anything is given back
 */
export async function answer(
  upstream: IncomingMessage,
  response: ServerResponse,
  masking: AnswerMasking,
): Promise<void> {
  const coding = upstream.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const hasBody = response.req.method !== "HEAD" && upstream.statusCode !== 204 && upstream.statusCode !== 304;
  const decoder = coding === "identity" || coding === "" || !hasBody ? undefined : decoders.get(coding);
  const transfer = upstream.headers["transfer-encoding"]?.trim().toLowerCase() ?? "chunked";
  if (transfer !== "chunked" || (hasBody && decoder === undefined && coding !== "identity" && coding !== "")) {
    throw refusal(
      "UPSTREAM_FAILED",
      "The answer is compressed in a way that the broker cannot read. The request may have been carried out.",
    );
  }
  const headers = Object.entries(responseHeaders(upstream.headersDistinct))
    .filter(([name]) => !masking.isInName(name))
    .map(([name, values]) => [name, values.map((value) => masking.header(value))] as const);
  response.writeHead(upstream.statusCode ?? 502, Object.fromEntries(headers));
  // It begins before its first event.
  if (upstream.headers["content-type"]?.startsWith("text/event-stream")) response.flushHeaders();
  const body = masking.body();
  const masked = new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, body.push(chunk));
    },
    flush(done) {
      done(null, body.end());
    },
  });
  const parts = decoder === undefined ? [upstream, masked, response] : [upstream, decoder(), masked, response];
  // The reader learns of a failure by the end of the connection: the response has begun.
  await pipeline(parts).catch(() => response.destroy());
}
