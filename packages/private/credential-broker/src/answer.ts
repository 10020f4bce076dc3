import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable, type Transform, type Writable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Origin, throughBroker } from "./broker-urls.js";
import { responseHeaders } from "./headers.js";
import type { AnswerMasking } from "./mask-answer.js";
import type { Masking } from "./mask-secrets.js";
import { refusal } from "./refusal.js";

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
/** Gives back what has arrived, and accepts an empty body, which servers send with any coding. */
const [zlib, brotli] = [Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH].map((flush) => ({ flush, finishFlush: flush }));

/** The codings that can be decoded. An upstream was asked for none, and some send one. */
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => createGunzip(zlib)],
  ["x-gzip", () => createGunzip(zlib)],
  ["deflate", () => createInflate(zlib)],
  ["br", () => createBrotliDecompress(brotli)],
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
  { masking, ...origin }: Origin & { readonly masking: AnswerMasking },
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
  const headers = Object.entries(throughBroker(responseHeaders(upstream.headersDistinct), origin, masking.header))
    .filter(([name]) => !masking.isInName(name))
    .map(([name, values]) => [name, values.map((value) => masking.header(value))] as const);
  response.writeHead(upstream.statusCode ?? 502, Object.fromEntries(headers));
  // A stream may begin long before its first part.
  if (upstream.headers["content-length"] === undefined) response.flushHeaders();
  const source = decoder === undefined ? upstream : pipeline(upstream, decoder(), () => undefined);
  await sendBody(source, response, masking.body());
}

/** Sends what a source has, masked. Resolves when the response has ended. A pipeline takes several times the CPU time. */
export function sendBody(source: Readable, response: Writable, body: Masking): Promise<void> {
  return new Promise((resolve) => {
    const close = () => {
      source.destroy();
      resolve();
    };
    if (response.destroyed) close();
    response.once("close", close).once("error", close);
    response.on("drain", () => source.resume());
    source.on("data", (chunk: Buffer) => {
      const shown = body.push(chunk);
      if (shown.length > 0 && !response.write(shown)) source.pause();
    });
    source.once("end", () => response.end(body.end()));
    // The reader learns of a failure by the end of the connection: the response has begun.
    source.once("error", () => response.destroy());
    source.once("close", () => source.readableEnded || response.destroy());
  });
}
