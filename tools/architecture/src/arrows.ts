/** The imports that modules of one place may have, besides each other. */
export interface Arrow {
  /** Places of this workspace. "server/" means everything in the server. */
  readonly to: readonly string[];
  /** Places of this workspace from which only types may be imported. */
  readonly toTypesOf?: readonly string[];
  /** Folders and modules of other packages that those do not publish, imported by their path. */
  readonly unpublished?: readonly string[];
  /** Imports from outside the workspace: package names, and "node:" for all modules of Node. */
  readonly outside: readonly string[] | "anything";
  /** Modules from outside the workspace from which only types may be imported. */
  readonly outsideTypes?: readonly string[];
}

/** Packages whose folders have their own arrows, with the prefix of their places. */
export const layered: Readonly<Record<string, string>> = {
  "packages/client": "client",
  "packages/server": "server",
  "tools/contract": "contract",
};

/** Folders of a layered package's src that contain only test code. */
export const testFolders: Readonly<Record<string, string>> = {
  "packages/client": "fixtures",
  "packages/server": "wire",
};

const server = "packages/server";
const types = "packages/types";
const typesInternal = "packages/types-internal";
const typesConnectV1 = "packages/types-connect-v1";
const broker = "packages/broker";
const client = "packages/client";
const front = "packages/front";
const signedIn = "packages/signed-in";
const temporaryPostgres = "tools/temporary-postgres";
const protobuf = "@bufbuild/protobuf";
const connect = "@connectrpc/connect";

const domain = "server/domain";
const ports = "server/ports";
const audit = "server/audit";
const operations = "server/operations";
const rpc = "server/rpc";
const http = "server/http";
const tokens = "server/tokens";
const limits = "server/limits";
const storage = "server/storage";
const gen = "server/gen";
const contract = "server/contract";
const platform = "server/platform.ts";

/** What both entries of the client share: each folder may import those after it. They need no package at run time. */
const clientCore = ["client/device", "client/call", "client/options", "client/error", "client/wire"];
const clientGen = "client/gen";
const advanceCursor = "client/advance-cursor.ts";

/**
 * The arrows of ARCHITECTURE.md. A place is a package of the workspace or, inside a layered package, a folder or file of its
 * src. Imports that no arrow lists are rejected, and so is a place without an arrow.
 */
export const arrows: Readonly<Record<string, Arrow>> = {
  [types]: { to: [], outside: [protobuf] },
  [typesInternal]: { to: [types], outside: [protobuf] },
  // Its example calls through Connect-ES v1, on Node.
  [typesConnectV1]: { to: [], outside: [protobuf, connect, "@connectrpc/connect-node", "node:"] },
  // The connections of every listener. Each contains it.
  [front]: { to: [], outside: ["node:", "vitest"] },
  [broker]: { to: [], outside: "anything" },

  // Files outside the client's src: examples.
  [client]: { to: [types], outside: "anything" },
  "client/device": { to: [...clientCore.slice(1), clientGen], outside: [] },
  "client/call": { to: clientCore.slice(2), outside: [] },
  "client/options": { to: clientCore.slice(3), outside: [] },
  "client/error": { to: ["client/wire"], toTypesOf: [types], outside: [] },
  "client/wire": { to: [], outside: [] },
  [advanceCursor]: { to: [], outside: [] },
  "client/json": { to: [advanceCursor, ...clientCore, clientGen], outside: [] },
  "client/connect": { to: [...clientCore, clientGen, types], outside: [protobuf, connect] },
  "client/index.ts": { to: [advanceCursor, ...clientCore, clientGen, "client/connect"], outside: [] },
  "client/otel": { to: clientCore, outside: ["@opentelemetry/api"] },
  "client/session": { to: [...clientCore, "client/crypto"], outside: ["oauth4webapi"] },
  // For programs on Node.
  "client/session-file": { to: ["client/crypto"], toTypesOf: ["client/session"], outside: ["node:"] },
  "client/session-loopback": { to: [...clientCore, "client/session"], outside: ["node:"] },
  "client/testing": {
    to: [...clientCore, types],
    // The rules that the fake platform applies. Its entry contains a copy of them.
    unpublished: ["packages/server/src/domain/", "packages/server/src/testing/memory-vaults.ts"],
    outside: [protobuf, connect],
  },
  "client/undici": { to: clientCore, outside: ["undici"] },
  "client/pop": { to: ["client/crypto"], outside: [] },
  "client/crypto": { to: [], outside: [] },
  // Runs the built client in its runtimes, against the built server.
  "client/test": {
    to: [client, broker, server],
    unpublished: ["packages/server/src/storage/memory/"],
    outside: "anything",
  },

  // The signed-in person, for the published programs. Each contains it.
  [signedIn]: { to: [client, types, typesInternal], outside: [protobuf, connect, "node:", "vitest", "zod"] },
  // Programs. They may not import the server, and are tested against the built app.
  "packages/cli": { to: [signedIn, client, types, typesInternal], outside: "anything" },
  "packages/mcp": { to: [signedIn, front, client, types, typesInternal], outside: "anything" },

  // Runs in browsers. The app serves its built files, and imports none.
  "apps/console": { to: [client, types, typesInternal], outside: "anything" },
  "apps/reference": {
    // Its tests start servers of PostgreSQL.
    to: [broker, client, front, server, typesInternal, types, temporaryPostgres],
    outside: "anything",
  },
  "apps/site": { to: ["tools/api-reference", types], outside: "anything" },
  "tools/bench": {
    // The app's log.
    to: ["apps/reference", client, server, types, temporaryPostgres],
    outside: "anything",
  },
  // Its models are those of the server's tests.
  "tools/faults": { to: [client, server, temporaryPostgres], outside: "anything" },
  "tools/api-reference": { to: [broker, client, server, types, temporaryPostgres], outside: "anything" },
  "tools/architecture": { to: [], outside: "anything" },
  "tools/check": { to: [temporaryPostgres], outside: "anything" },
  "tools/contract": { to: [], outside: "anything" },
  "tools/docs": { to: [], outside: ["node:", "vitest"] },
  "tools/mutants": { to: [], outside: "anything" },
  "tools/new-operation": { to: [], outside: "anything" },
  "tools/protoc-gen-platform": { to: [], outside: "anything" },
  "tools/release": { to: [broker, client, server, types, typesConnectV1], outside: "anything" },
  [temporaryPostgres]: { to: [], outside: ["node:"] },
  "tools/screenshots": { to: [], outside: "anything" },
  "tools/build-reference.mjs": { to: [], outside: ["node:"] },
  "tools/first-visit.mjs": { to: [], outside: ["node:"] },
  "tools/workspace-node.mjs": { to: [], outside: ["node:"] },

  // Files outside the server's src: examples, which import the package by its name.
  [server]: { to: [types], outside: "anything" },
  [domain]: { to: [], outside: [] },
  [ports]: { to: [], toTypesOf: [domain], outside: [] },
  [audit]: { to: [domain], outside: ["node:"] },
  [operations]: { to: [ports, domain], outside: [] },
  [rpc]: {
    to: [contract, operations, ports, domain, types],
    toTypesOf: [gen],
    outside: [protobuf, connect],
  },
  [http]: {
    to: [front, rpc, contract, gen, operations, ports, domain, types],
    outside: [protobuf, connect, "node:"],
    // Their values come from process.getBuiltinModule: see ARCHITECTURE.md, "Start".
    outsideTypes: ["node:http", "node:https"],
  },
  // Tokens are bound only to keys that brokers accept.
  [tokens]: { to: [ports, domain, broker], outside: ["jose", "node:"] },
  [limits]: { to: [ports, domain], outside: ["node:"] },
  [storage]: { to: [audit, ports, domain], outside: ["node:", "pg"] },
  [gen]: { to: [], toTypesOf: [types], outside: [protobuf] },
  [contract]: {
    to: [gen, types],
    toTypesOf: [ports, domain],
    outside: [protobuf, "@bufbuild/protovalidate", connect],
  },
  "server/otel": { to: [ports], outside: ["@opentelemetry/api"] },
  "server/testing": { to: [audit, ports, domain], outside: ["vitest", "fast-check"] },
  [platform]: { to: [rpc, contract, operations, tokens, limits, ports, domain, types], outside: [] },
  "server/fetch.ts": { to: [platform, http, tokens, audit, ports, domain], outside: [] },
  "server/postgres.ts": { to: [storage], outside: [] },
  "server/index.ts": {
    to: [platform, http, rpc, contract, operations, tokens, limits, storage, audit, ports, domain],
    outside: [],
  },

  // proto → image → Contract → lint | compare | render → verdict.
  "contract/model": { to: [], outside: [protobuf, "zod"] },
  "contract/buf": { to: ["contract/model"], outside: ["node:", "zod"] },
  "contract/render": { to: ["contract/model"], outside: [protobuf, "ajv", "ajv-formats"] },
  // The OpenAPI renderer decides which constraints it can express.
  "contract/lint": { to: ["contract/model", "contract/buf", "contract/render"], outside: [] },
  "contract/lock": { to: ["contract/model"], outside: ["node:", "zod"] },
  "contract/compare": { to: ["contract/model", "contract/lock"], outside: [] },
  "contract/baseline": {
    to: ["contract/model", "contract/buf", "contract/lock", "contract/compare"],
    outside: ["node:", "zod"],
  },
  "contract/generate": {
    to: ["contract/model", "contract/buf", "contract/render"],
    outside: ["node:"],
  },
  "contract/report.ts": { to: ["contract/model"], outside: [] },
  "contract/rules-page.ts": { to: ["contract/lint", "contract/compare", "contract/model"], outside: ["node:"] },
  "contract/testing": { to: ["contract/"], outside: ["node:"] },
  "contract/commands.ts": { to: ["contract/"], outside: [] },
  "contract/cli.ts": { to: ["contract/"], outside: ["node:", "commander"] },
  "contract/main.ts": { to: ["contract/cli.ts"], outside: ["node:"] },
};

/** Tests and test code may import everything inside their package. */
export const testArrows: Readonly<Record<string, Arrow>> = {
  client: { to: [client, types, "client/"], outside: "anything" },
  server: { to: [front, temporaryPostgres, server, broker, types, "server/"], outside: "anything" },
  contract: { to: ["contract/"], outside: "anything" },
};
