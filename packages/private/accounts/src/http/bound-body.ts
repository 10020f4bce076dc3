import type { Context } from "hono";
import { RequestError } from "./request-error.js";

/**
 * Replaces a body without Content-Length, such as one in chunks, by one that fails with REQUEST_TOO_LARGE once more was read than the
 * limit. Nothing is read before the handler reads it. A GET or HEAD has no body that could be read.
 */
export function boundBody({ req }: Context, bodyBytes: number): void {
  const { raw } = req;
  const { url, method, headers, signal } = raw;
  if (!headers.has("Transfer-Encoding") || method === "GET" || method === "HEAD") return;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let size = 0;
  // The connection can be used again, and the response be read, only if nobody stops reading. The listener ends an endless body.
  const cancel = () => void discard(reader);
  const source: UnderlyingDefaultSource<Uint8Array> = {
    cancel,
    async pull(controller) {
      if (size > bodyBytes) {
        cancel();
        throw new RequestError("REQUEST_TOO_LARGE");
      }
      reader ??= raw.body?.getReader();
      const read = await reader?.read();
      if (read?.done !== false) {
        controller.close();
        return;
      }
      size += read.value.byteLength;
      controller.enqueue(read.value);
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const init = { method, headers, signal, body, duplex: "half" };
  req.raw = new Request(url, init);
}

/** Passes on the error of a body that is too large. Any other one means that the body did not arrive completely. @throws RequestError */
export function throwTooLarge(thrown: unknown): void {
  if (thrown instanceof RequestError) throw thrown;
}

/** Reads the form of a page. A body that is not a form counts as an empty one. @throws RequestError REQUEST_TOO_LARGE */
export async function readPageForm({ req }: Context): Promise<FormData> {
  return (await req.formData().catch(throwTooLarge)) ?? new FormData();
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read());
  } catch {
    // The connection has ended.
  }
}
