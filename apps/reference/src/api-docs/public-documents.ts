import { type Clock, type Document, type Documents, jsonDocument, type KeyRing } from "@platform-rpc/server";
import { liveDocument } from "../live-document.js";
import { createApiDocuments } from "./api-documents.js";
import { frontPage } from "./front-page.js";
import { securityTxt, securityTxtPath } from "./security-txt.js";

/** Verifiers may keep the keys this long; a new key is published an hour before it signs. */
const jwksCacheControl = "public, max-age=600";

export interface PublicDocumentsOptions {
  /** Prefixes the paths of links. Empty when there is none. */
  readonly basePath: string;
  /** Where callers reach the public listener, base path included; called for every request. */
  readonly publicUrl: () => string;
  /** Undefined: there is no security.txt. */
  readonly securityContact: string | undefined;
  readonly keyRing: Pick<KeyRing, "jwks">;
  readonly clock: Clock;
}

/** What the public listener shows by GET, beside health: its description, its keys, and a page for people. */
export async function createPublicDocuments(options: PublicDocumentsOptions): Promise<Documents> {
  const { basePath, publicUrl, securityContact, keyRing, clock } = options;
  const page = frontPage(basePath);
  const keyIds = () => keyRing.jwks().keys.map(({ kid }) => kid);
  const documents: (readonly [string, Document | (() => Document)])[] = [
    ...(await createApiDocuments(publicUrl)),
    ["/", page],
    // The base path itself, without a slash at its end.
    ["", page],
    [
      "/.well-known/jwks.json",
      liveDocument(
        () => keyIds().join(),
        () => jsonDocument(200, keyRing.jwks(), jwksCacheControl),
      ),
    ],
  ];
  if (securityContact !== undefined) {
    documents.push([securityTxtPath, securityTxt({ contact: securityContact, publicUrl, clock })]);
  }
  return new Map(documents);
}
