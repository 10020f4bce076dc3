import { type Clock, jsonDocument, type KeyRing } from "@platform-rpc/server";
import type { DemoFiles } from "../demo-data/demo-files.js";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { type AppDocument, liveDocument } from "../live-document.js";
import { createApiDocuments } from "./api-documents.js";
import { createDemoExamples } from "./demo-examples.js";
import { frontPage } from "./front-page.js";
import { protectedResource } from "./protected-resource.js";
import { securityTxt, securityTxtPath } from "./security-txt.js";
import { createSiteDocuments, siteFolder } from "./site-documents.js";

/** Verifiers may cache the keys for 10 minutes: a new key is published an hour before it signs. */
const jwksCacheControl = "public, max-age=600";

export interface PublicDocumentsOptions {
  /** The prefix of the paths in links; empty without a base path. */
  readonly basePath: string;
  /** Returns the URL of the public listener as callers see it, with the base path; called for every request. */
  readonly publicUrl: () => string;
  /** The contact in security.txt. Undefined: no security.txt is served. */
  readonly securityContact: string | undefined;
  /** The URL of the documentation, if another server has it. Undefined: it is served at `/docs`. */
  readonly docsUrl: string | undefined;
  readonly keyRing: Pick<KeyRing, "jwks">;
  readonly clock: Clock;
  /** Returns the origin of the authorization server. Undefined: there is none, and no protected resource metadata is served. */
  readonly authorizationServer: (() => string | undefined) | undefined;
  /** The files of the demo, whose requests the OpenAPI document shows. Undefined: the demo is off. */
  readonly demoFiles?: DemoFiles | undefined;
}

/** Creates the documents of the public listener, except health: the OpenAPI document, the documentation, the JWKS, security.txt and the front page. */
export function createPublicDocuments(options: PublicDocumentsOptions): ReadonlyMap<string, AppDocument> {
  const { basePath, publicUrl, securityContact, docsUrl, keyRing, clock, demoFiles } = options;
  const page = frontPage(basePath, [...openapiDocuments.keys()]);
  const keyIds = () => keyRing.jwks().keys.map(({ kid }) => kid);
  const documents: (readonly [string, AppDocument])[] = [
    ...createApiDocuments(publicUrl, openapiDocuments, demoFiles && createDemoExamples(demoFiles)),
    ...createSiteDocuments({ folder: siteFolder, docsUrl }),
    ["/", page],
    // The base path itself, without a trailing slash.
    ["", page],
    [
      "/.well-known/jwks.json",
      liveDocument(
        () => keyIds().join(),
        () => ({ ...jsonDocument(200, keyRing.jwks(), jwksCacheControl), anyOrigin: true }),
      ),
    ],
  ];
  if (securityContact !== undefined) {
    documents.push([securityTxtPath, securityTxt({ contact: securityContact, publicUrl, clock })]);
  }
  const { authorizationServer } = options;
  if (authorizationServer !== undefined) {
    documents.push(...protectedResource({ basePath, publicUrl, authorizationServer }));
  }
  return new Map(documents);
}
