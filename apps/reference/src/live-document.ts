import type { Document } from "@platform-rpc/server";

/** Makes a document again only when the value that it shows has changed: the same object has its bytes made once. */
export function liveDocument(read: () => string, make: (value: string) => Document): () => Document {
  let made: { readonly value: string; readonly document: Document } | undefined;
  return () => {
    const value = read();
    if (made?.value !== value) made = { value, document: make(value) };
    return made.document;
  };
}
