import { type Clock, type Document, jsonDocument } from "@platform-rpc/server";
import type { DocumentRequest, KeyRing } from "@platform-rpc/server/host";
import type { DemoFiles } from "../demo-data/demo-files.js";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { type AppDocument, acceptsHtml, isRead, liveDocument } from "./app-document.js";
import { createDemoExamples, type DemoExamples } from "./demo-examples.js";
import { apiSummary, frontPage } from "./front-page.js";
import { protectedResource } from "./protected-resource.js";
import { createSiteDocuments, siteFolder } from "./site-documents.js";

/** Verifiers may cache the keys for 10 minutes: a new key is published an hour before it signs. */
const jwksCacheControl = "public, max-age=600";

interface PublicDocumentsOptions {
  /** The prefix of the paths in links; empty without a base path. */
  readonly basePath: string;
  /** The URL of the public listener as callers see it, with the base path. */
  readonly publicUrl: string;
  /** The contact in security.txt. Undefined: no security.txt is served. */
  readonly securityContact: string | undefined;
  /** The URL of the documentation, if another server has it. Undefined: it is served at `/docs`. */
  readonly docsUrl: string | undefined;
  readonly keyRing: Pick<KeyRing, "jwks">;
  readonly clock: Clock;
  /** The origin of the authorization server. Undefined: there is none, and no protected resource metadata is served. */
  readonly authorizationServer: string | undefined;
  /** The files of the demo, whose requests the OpenAPI document shows. Undefined: the demo is off. */
  readonly demoFiles?: DemoFiles | undefined;
}

/** Creates the documents of the public listener, except health: the OpenAPI document, the documentation, the JWKS, security.txt and the front page. */
export function createPublicDocuments(options: PublicDocumentsOptions): ReadonlyMap<string, AppDocument> {
  const { basePath, publicUrl, securityContact, docsUrl, keyRing, clock, demoFiles } = options;
  const { authorizationServer } = options;
  const openapiPaths = [...openapiDocuments.keys()];
  const keyIds = () => keyRing.jwks().keys.map(({ kid }) => kid);
  const documents = new Map<string, AppDocument>([
    ...createApiDocuments(publicUrl, openapiDocuments, demoFiles && createDemoExamples(demoFiles)),
    ...createSiteDocuments({ folder: siteFolder, docsUrl, basePath }),
    [
      "/.well-known/jwks.json",
      liveDocument(
        () => keyIds().join(),
        () => ({ ...jsonDocument(200, keyRing.jwks(), jwksCacheControl), anyOrigin: true }),
      ),
    ],
    ...(authorizationServer === undefined ? [] : protectedResource({ basePath, publicUrl, authorizationServer })),
  ]);
  if (securityContact !== undefined) {
    documents.set(securityTxtPath, securityTxt({ contact: securityContact, publicUrl, clock }));
  }
  const page = frontPage(basePath, openapiPaths);
  const isServed = (path: string) => documents.has(path) || documents.has(path.replace(/[^/]+$/, "*"));
  const summary = apiSummary({ publicUrl, authorizationServer, isServed, openapiPaths });
  // The page is served only to readers that accept HTML. All other verbs get OPERATION_UNKNOWN, as on a path without a document.
  const front = (request: DocumentRequest) => (isRead(request) && !acceptsHtml(request) ? summary : page);
  // The second one is the base path itself, without a trailing slash.
  return documents.set("/", front).set("", front);
}

/** Short, so that browsers load the documents of a new version soon. */
const cacheControl = "public, max-age=300";

/** Creates the OpenAPI document of each version of the contract: `/openapi.json`. */
export function createApiDocuments(
  publicUrl: string,
  openapi = openapiDocuments,
  examples?: DemoExamples,
): ReadonlyMap<string, AppDocument> {
  return new Map<string, AppDocument>(
    [...openapi].map(([path, document]) => {
      const withServer = () => {
        const shown = examples?.addTo(document, publicUrl) ?? document;
        return jsonDocument(200, { ...shown, servers: [{ url: publicUrl }] }, cacheControl);
      };
      return [path, liveDocument(() => examples?.read() ?? "", withServer)] as const;
    }),
  );
}

const securityTxtPath = "/.well-known/security.txt";

const day = 24 * 60 * 60 * 1000;

/** How long the file is valid, in milliseconds. RFC 9116 recommends less than a year. */
const validFor = 180 * day;

/** Creates the security.txt (RFC 9116). Its expiry moves on every day, so that it never expires while the platform runs. */
function securityTxt(options: {
  /** A mailto:, https: or tel: URI. */
  readonly contact: string;
  readonly publicUrl: string;
  readonly clock: Clock;
}): () => Document {
  const { contact, publicUrl, clock } = options;
  const fields = () => [
    `Contact: ${contact}`,
    `Expires: ${new Date(Math.floor(clock.now() / day) * day + validFor).toISOString()}`,
    "Preferred-Languages: en",
    // Served from the root of the host, without the base path.
    `Canonical: ${new URL(securityTxtPath, publicUrl).href}`,
  ];
  return liveDocument(
    () => `${fields().join("\n")}\n`,
    (body) => ({ status: 200, contentType: "text/plain; charset=utf-8", body, cacheControl: "public, max-age=86400" }),
  );
}
