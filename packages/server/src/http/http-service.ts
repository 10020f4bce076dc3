import { Visibility } from "@platform-rpc/types";
import { type Contract, publicContract } from "../contract/contract.js";
import type { Tracing } from "../ports/tracing.js";
import type { Admit } from "../services/admission.js";
import { collectRoutes, type Route } from "../services/routes.js";
import { type Cors, createCors } from "./cors.js";
import type { Deadlines } from "./deadlines.js";
import { createDocumentReader, createFindDocument, type DocumentReader, type FindDocument } from "./documents.js";
import { createInFlight, type InFlight } from "./in-flight.js";
import { defaultLimits, type Limits } from "./limits.js";
import type { GatedRoutes, HandlerOptions } from "./options.js";
import { createRequestLog, type RequestLog } from "./request-log.js";

/** The state that all exchanges of a listener or fetch handler share. */
export interface HttpService {
  /** By path, including the base path. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly findDocument: FindDocument;
  readonly readDocument: DocumentReader;
  /** Undefined accepts every host. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly cors: Cors;
  readonly admit: Admit;
  readonly contract: Contract;
  readonly limits: Limits;
  readonly inFlight: InFlight;
  readonly log: RequestLog;
  readonly deadlines: Deadlines;
  readonly tracing: Tracing | undefined;
  /** Returns the URL of the protected resource metadata; undefined if there is none. */
  readonly resourceMetadataUrl: string | undefined;
  /** True once each response closes its connection. */
  readonly leaving: boolean;
  leave(): void;
  /** True once new calls are rejected as UNAVAILABLE. */
  readonly draining: boolean;
  drain(): void;
}

/**
 * Creates the state of a listener or fetch handler.
 *
 * @throws TypeError when an operation streams, lacks its options or has another visibility.
 */
export function createHttpService(platform: GatedRoutes, options: HandlerOptions, deadlines: Deadlines): HttpService {
  const { visibility = Visibility.PUBLIC, basePath = "", documents = new Map() } = options;
  // A limit that is undefined has its default.
  const given = Object.entries(options.limits ?? {}).filter(([, limit]) => limit !== undefined);
  const limits = { ...defaultLimits, ...Object.fromEntries(given) };
  const routes = prefixed(collectRoutes(platform.routes), basePath);
  for (const { operation } of routes.values()) {
    if (operation.visibility !== visibility) {
      throw new TypeError(
        `${operation.operation} is not of the visibility that this listener serves. Set the visibility option, or remove the operation from the routes.`,
      );
    }
  }
  let leaving = false;
  let draining = false;
  return {
    routes,
    // Also at the root: health probes do not use the prefix that a proxy adds.
    findDocument: createFindDocument(new Map([...documents, ...prefixed(documents, basePath)])),
    readDocument: createDocumentReader(),
    hosts: options.hosts && new Set(options.hosts.map((host) => host.toLowerCase())),
    cors: createCors(options.corsOrigins ?? []),
    admit: platform.admit,
    contract: platform.contract ?? publicContract,
    limits,
    inFlight: createInFlight(limits),
    log: createRequestLog(options.logger, options),
    deadlines,
    tracing: options.tracing,
    resourceMetadataUrl: options.resourceMetadataUrl,
    get leaving() {
      return leaving;
    },
    leave() {
      leaving = true;
    },
    get draining() {
      return draining;
    },
    drain() {
      leaving = true;
      draining = true;
    },
  };
}

function prefixed<Value>(map: ReadonlyMap<string, Value>, basePath: string): ReadonlyMap<string, Value> {
  return new Map([...map].map(([path, value]) => [basePath + path, value]));
}
