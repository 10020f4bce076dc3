import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/**
 * A resource that the listener serves by GET in addition to the operations: health, keys, documentation.
 *
 * @example
 * ```ts
 * import { createListener, type Document } from "@platform-rpc/server";
 *
 * const robots: Document = { status: 200, contentType: "text/plain", body: "User-agent: *\nDisallow: /\n", cacheControl: "max-age=3600" };
 * const listener = createListener(platform, { logger, documents: new Map([["/robots.txt", robots]]) });
 * const { port } = await listener.listen(0, "127.0.0.1");
 * console.log((await fetch(`http://127.0.0.1:${port}/robots.txt`)).headers.get("Cache-Control"));
 * // max-age=3600
 * await listener.close();
 * ```
 */
export interface Document {
  readonly status: number;
  readonly contentType: string;
  /** A string is sent as UTF-8. */
  readonly body: string | Uint8Array;
  /** Default: no-store. */
  readonly cacheControl?: string;
  /** Further response headers, by name. `Vary` is completed with the headers that the listener itself selects by. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Serves the document only to requests whose Accept header names its type, as browsers name `text/html`. Other requests
   * get OPERATION_UNKNOWN. Default: false, served to all.
   */
  readonly onlyIfAccepted?: boolean;
  /**
   * Lets pages of any origin read the document, with any request header (CORS): for public metadata and keys, which clients in browsers
   * read. Default: false, only pages of the origins in `corsOrigins`.
   */
  readonly anyOrigin?: boolean;
}

export type Coding = "br" | "gzip";

/** The content codings, the one with the smaller output first. */
const codings: readonly Coding[] = ["br", "gzip"];

/** Compresses off the event loop, from level 1, the fastest, to 9. */
export const compress: Readonly<Record<Coding, (body: Uint8Array | string, level: number) => Promise<Uint8Array>>> = {
  br: (body, level) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (body, level) => promisify(gzip)(body, { level }),
};

// Higher levels take ten times longer and save only a few per cent.
const documentLevel = 6;

/** The minimum size for compression, in bytes: a smaller body fits in one packet anyway. */
export const worthCompressing = 1024;

/** Returns the content codings that an Accept-Encoding header accepts, the preferred one first. */
export function acceptedCodings(acceptEncoding: string | undefined): Coding[] {
  return codings
    .map((coding) => ({ coding, weight: quality(acceptEncoding, coding) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ coding }) => coding);
}

/** One form of a document: its bytes, compressed or not. */
export interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
  readonly coding: Coding | undefined;
}

export interface Representations {
  /** The Vary header, with that of the document; empty if every request gets the same form. */
  readonly vary: Readonly<Record<string, string>>;
  /** Returns the ETag in an If-None-Match header that matches this document, or undefined if none does. */
  matchingEtag(ifNoneMatch: string | undefined): string | undefined;
  /** Returns the representation that an Accept-Encoding header prefers among those that are ready. */
  choose(acceptEncoding: string | undefined): Representation;
}

/**
 * Creates the representations of each document once. A document is compressed when a caller first accepts that coding, off
 * the event loop. Until it is ready, callers get the uncompressed bytes.
 */
export function createRepresentations(): (document: Document) => Representations {
  const known = new WeakMap<Document, Representations>();
  return (document) => {
    const made = known.get(document) ?? represent(document);
    known.set(document, made);
    return made;
  };
}

function represent({ body: content, contentType, headers, onlyIfAccepted = false }: Document): Representations {
  const body = typeof content === "string" ? Buffer.from(content) : content;
  const tag = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  const etagOf = (coding: Coding | undefined) => `"${coding === undefined ? tag : `${tag}-${coding}`}"`;
  const plain: Representation = { body, etag: etagOf(undefined), coding: undefined };
  const compressed = new Map<Coding, Representation>();
  const begun = new Set<Coding>();
  const compressible = body.length >= worthCompressing && /^text\/|[/+](?:json|javascript|xml)\b/.test(contentType);

  function begin(coding: Coding): void {
    if (begun.has(coding)) return;
    begun.add(coding);
    compress[coding](body, documentLevel).then(
      (bytes) => {
        if (bytes.length < body.length) compressed.set(coding, { body: bytes, etag: etagOf(coding), coding });
      },
      // If compression fails, callers keep getting the uncompressed bytes.
      () => {},
    );
  }

  const { Vary: own } = headers ?? {};
  const varies = [
    ...(own === undefined ? [] : [own]),
    ...(compressible ? ["Accept-Encoding"] : []),
    ...(onlyIfAccepted ? ["Accept"] : []),
  ];
  const etags = [etagOf(undefined), ...(compressible ? codings.map(etagOf) : [])];
  return {
    vary: varies.length === 0 ? {} : { Vary: varies.join(", ") },
    matchingEtag(ifNoneMatch) {
      if (ifNoneMatch?.trim() === "*") return plain.etag;
      // Weak comparison (RFC 9110 section 13.1.2). Any representation counts: the caller accepted the one it has.
      const given = ifNoneMatch?.split(",").map((each) => each.trim().replace(/^W\//, ""));
      return etags.find((etag) => given?.includes(etag));
    },
    choose(acceptEncoding) {
      if (!compressible) return plain;
      for (const coding of acceptedCodings(acceptEncoding)) {
        begin(coding);
        const representation = compressed.get(coding);
        if (representation !== undefined) return representation;
      }
      return plain;
    },
  };
}

/**
 * Returns the weight of a media type or content coding in an Accept or Accept-Encoding header, from 0 (not accepted) to 1.
 * Wildcards are ignored.
 *
 * @see RFC 9110 section 12.4.2
 */
export function quality(header: string | undefined, name: string): number {
  for (const part of header?.split(",") ?? []) {
    const [given = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    if (given !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    if (weight === undefined) return 1;
    return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
  }
  return 0;
}
