import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Document } from "./documents.js";
import { quality } from "./quality.js";

type Coding = "br" | "gzip";

/** The content codings, the smaller result first. */
const codings: readonly Coding[] = ["br", "gzip"];

const compress: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  // Higher qualities take ten times longer for a few per cent.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify(gzip),
};

/** Smaller bodies fit in one packet anyway, in bytes. */
const worthCompressing = 1024;

/** One form of a document: its bytes, in a content coding or as they are. */
export interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
  readonly coding: Coding | undefined;
}

/** What is made of a document, once. */
export interface Representations {
  /** The Vary header, where it is due. */
  readonly vary: Readonly<Record<string, string>>;
  /** The entity tag of the representation that an If-None-Match header says the caller has; undefined when it has none. */
  held(ifNoneMatch: string | undefined): string | undefined;
  /** The representation that an Accept-Encoding header prefers, of those that are made. */
  choose(acceptEncoding: string | undefined): Representation;
}

/**
 * Makes the representations of documents, once for each. A compressed one is made when it is first accepted, off the event
 * loop; until it is there, callers get the bytes as they are.
 */
export function createRepresentations(): (document: Document) => Representations {
  const known = new WeakMap<Document, Representations>();
  return (document) => {
    const made = known.get(document) ?? represent(document);
    known.set(document, made);
    return made;
  };
}

function represent({ body: content, contentType, onlyIfAccepted = false }: Document): Representations {
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
    compress[coding](body).then(
      (bytes) => {
        if (bytes.length < body.length) compressed.set(coding, { body: bytes, etag: etagOf(coding), coding });
      },
      // Callers go on getting the bytes as they are.
      () => {},
    );
  }

  const varies = [...(compressible ? ["Accept-Encoding"] : []), ...(onlyIfAccepted ? ["Accept"] : [])];
  const etags = [etagOf(undefined), ...(compressible ? codings.map(etagOf) : [])];
  return {
    vary: varies.length === 0 ? {} : { Vary: varies.join(", ") },
    held(ifNoneMatch) {
      if (ifNoneMatch?.trim() === "*") return plain.etag;
      // A weak comparison (RFC 9110 section 13.1.2). A caller that has any of them has what it accepts.
      const given = ifNoneMatch?.split(",").map((each) => each.trim().replace(/^W\//, ""));
      return etags.find((etag) => given?.includes(etag));
    },
    choose(acceptEncoding) {
      if (!compressible || acceptEncoding === undefined) return plain;
      const wanted = codings
        .map((coding) => ({ coding, weight: quality(acceptEncoding, coding) }))
        .filter(({ weight }) => weight > 0)
        .toSorted((a, b) => b.weight - a.weight);
      for (const { coding } of wanted) {
        begin(coding);
        const representation = compressed.get(coding);
        if (representation !== undefined) return representation;
      }
      return plain;
    },
  };
}
