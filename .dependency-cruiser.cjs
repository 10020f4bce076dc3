// The arrows of ARCHITECTURE.md: what each place may import, besides itself. An import that no arrow allows is an error, type-only
// imports included. So is a module of a place that has no arrow.
//
// A place is a package, or a folder or file of the src of a package whose parts have their own arrows: "server/http". Its arrow names:
// - places of the same package; "server/*" is all of it
// - packages of this workspace, which are imported by their names; a path such as "packages/server/src/domain/" is imported as it is
// - "npm:<package>", "npm:*" for every package, and "node:" for the modules of Node
// After "types:", only types may be imported.

const parts = { client: "packages/client", server: "packages/server", contract: "tools/contract" };

const clientCore = ["client/device", "client/call", "client/options", "client/error", "client/wire"];
const domainOnly = ["server/ports", "server/domain"];

// Storage knows of records, and of no entity: a new one, or a new member of one, changes nothing there. Only the copy of a database
// asks which keys it is bound to.
const storedTypes = ["actor", "audit-seal", "collection", "decision", "history", "item", "record", "vault"]
  .map((name) => `model/${name}`)
  .concat("bound-keys", "rule")
  .map((name) => `packages/server/src/domain/${name}.ts`);

const mainEntries = [
  ...["server/platform.ts", "server/http", "server/services", "server/jobs", "server/contract", "server/tokens"],
  ...["server/limits", "server/storage", "server/audit", ...domainOnly],
];

const arrows = {
  "packages/types": ["npm:@bufbuild/protobuf"],
  "packages/types-internal": ["packages/types", "npm:@bufbuild/protobuf"],
  // Its example calls through Connect-ES v1, on Node.
  "packages/types-connect-v1": [
    ...["npm:@bufbuild/protobuf", "npm:@connectrpc/connect", "npm:@connectrpc/connect-node", "node:"],
  ],
  // The connections of every listener, and the signed-in person of every program. Who uses them contains a copy of them.
  "packages/front": ["node:", "npm:vitest"],
  // What an item contains. Runs in browsers, too.
  "packages/items": ["npm:vitest", "npm:fast-check", "npm:ajv", "node:"],
  // How the keys of vaults are handed to a program. Runs in browsers, too.
  "packages/unlock": ["packages/client", "npm:vitest", "node:"],
  "packages/signed-in": [
    ...["packages/client", "packages/types", "packages/types-internal", "node:"],
    ...["npm:@bufbuild/protobuf", "npm:@connectrpc/connect", "npm:vitest", "npm:zod"],
  ],
  "packages/broker": ["npm:*", "node:"],
  // The accounts origin: where people sign in. Its browser code seals keys as the client does. Its tests start browsers.
  "packages/accounts": [
    ...["packages/broker", "packages/client", "packages/front", "packages/server"],
    ...["packages/types", "packages/types-internal", "tools/testbed", "npm:*", "node:"],
  ],

  // Outside of src: examples.
  "packages/client": ["packages/client", "packages/types", "npm:*", "node:"],
  // What both entries of the client share: each folder may import those after it. They need no package at run time.
  "client/device": [...clientCore.slice(1), "client/gen"],
  "client/call": clientCore.slice(2),
  "client/options": clientCore.slice(3),
  "client/error": ["client/wire", "types:packages/types"],
  "client/wire": [],
  "client/advance-cursor.ts": [],
  "client/gen": ["client/*", "packages/types", "npm:*"],
  "client/json": ["client/advance-cursor.ts", ...clientCore, "client/gen"],
  "client/connect": [
    ...clientCore,
    "client/gen",
    "packages/types",
    "npm:@bufbuild/protobuf",
    "npm:@connectrpc/connect",
  ],
  "client/index.ts": ["client/advance-cursor.ts", ...clientCore, "client/gen", "client/connect"],
  "client/otel": [...clientCore, "npm:@opentelemetry/api"],
  "client/session": [...clientCore, "client/crypto", "npm:oauth4webapi"],
  // For programs on Node.
  "client/session-file": ["client/crypto", "types:client/session", "node:"],
  "client/session-loopback": [...clientCore, "client/session", "node:"],
  "client/undici": [...clientCore, "npm:undici"],
  "client/pop": ["client/crypto"],
  "client/crypto": [],
  "client/testing": [
    ...[...clientCore, "packages/types", "npm:@bufbuild/protobuf", "npm:@connectrpc/connect"],
    // The rules and the messages of the fake platform. Its entry contains a copy of them.
    "packages/server/src/domain/",
    ...["packages/server/src/services/exchange-response.ts", "packages/server/src/services/item-message.ts"],
    "packages/server/src/testing/cases/memory-storage.ts",
  ],

  // Outside of src: examples.
  "packages/server": ["packages/server", "packages/types", "npm:*", "node:"],
  "server/domain": [],
  "server/ports": ["types:server/domain"],
  "server/audit": ["server/domain", "node:"],
  "server/jobs": ["types:server/services", ...domainOnly],
  "server/services": [
    ...["server/contract", ...domainOnly, "types:server/gen"],
    ...["packages/types", "npm:@bufbuild/protobuf", "npm:@connectrpc/connect"],
  ],
  "server/http": [
    ...["server/services", "server/contract", "server/gen", ...domainOnly, "packages/front"],
    ...["packages/types", "npm:@bufbuild/protobuf", "npm:@connectrpc/connect", "node:"],
  ],
  // Tokens are bound only to keys that brokers accept.
  "server/tokens": [...domainOnly, "packages/broker", "npm:jose", "node:"],
  "server/limits": [...domainOnly, "node:"],
  "server/storage": ["server/audit", "server/ports", ...storedTypes, "npm:pg", "node:"],
  "server/gen": ["packages/types", "types:server/domain", "npm:@bufbuild/protobuf", "npm:@connectrpc/connect"],
  "server/contract": [
    ...["server/gen", "types:server/ports", "types:server/domain", "packages/types"],
    ...["npm:@bufbuild/protobuf", "npm:@bufbuild/protovalidate", "npm:@connectrpc/connect"],
  ],
  "server/otel": ["server/ports", "npm:@opentelemetry/api"],
  // The suite lists changes through the operation. The suite of key-value stores tests the storage on them.
  "server/testing": [
    ...["server/audit", "server/services", ...domainOnly, "packages/types"],
    "packages/server/src/storage/key-value/",
    ...["npm:@bufbuild/protobuf", "npm:vitest", "npm:fast-check"],
  ],
  "server/platform.ts": [
    ...["server/services", "server/jobs", "server/contract", "server/tokens", "server/limits", ...domainOnly],
    "server/gen",
    "packages/types",
  ],
  "server/fetch.ts": [
    ...["server/platform.ts", "server/http", "server/tokens", "server/audit", ...domainOnly],
    "packages/server/src/storage/key-value/",
  ],
  "server/postgres.ts": ["server/storage"],
  "server/index.ts": mainEntries,
  "server/host.ts": mainEntries,

  // Programs. They may not import the server, and are tested against the built app.
  "packages/cli": [
    ...["packages/items", "packages/unlock", "packages/signed-in", "packages/client", "packages/types"],
    ...["packages/types-internal", "npm:*", "node:"],
  ],
  "packages/mcp": [
    ...["packages/signed-in", "packages/front", "packages/client", "packages/types", "packages/types-internal"],
    // Its tests start the built app.
    ...["tools/testbed", "npm:*", "node:"],
  ],

  // Runs in browsers. The app serves its built files, and imports none. Of the accounts, it uses what runs in browsers.
  "apps/console": [
    ...[
      "packages/client",
      "packages/items",
      "packages/unlock",
      "packages/types",
      "packages/types-internal",
      "npm:*",
      "node:",
    ],
    ...["browser/", "keys/", "pages/brand", "people/personal-name", "sessions/browser-name"].map(
      (module) => `@platform-rpc/accounts/${module}`,
    ),
  ],
  "apps/platform": [
    ...["packages/accounts", "packages/client", "packages/front", "packages/items", "packages/mcp", "packages/server"],
    ...["packages/types", "packages/types-internal", "tools/testbed", "npm:*", "node:"],
  ],
  // What a team copies. The platform that the agent signs in to is started, and never imported.
  "apps/reference": ["packages/broker", "packages/client", "packages/server", "tools/testbed", "npm:vitest", "node:"],
  "apps/handbook": ["tools/api-reference", "tools/testbed", "packages/types", "npm:*", "node:"],

  "tools/testbed": ["npm:playwright-core", "npm:vitest", "node:"],
  "tools/bench": [
    // The app's log, and the listener of members.
    ...["apps/platform", "packages/accounts", "packages/client", "packages/server", "packages/types"],
    ...["tools/testbed", "npm:*", "node:"],
  ],
  // Its models are those of the server's tests.
  "tools/faults": ["packages/client", "packages/server", "tools/testbed", "npm:*", "node:"],
  "tools/api-reference": [
    ...["packages/broker", "packages/client", "packages/mcp", "packages/server", "packages/types"],
    ...["tools/testbed", "npm:*", "node:"],
  ],
  "tools/vitest": ["tools/testbed", "npm:*", "node:"],
  "tools/docs": ["npm:vitest", "node:"],
  "tools/mutants": ["npm:*", "node:"],
  "tools/extending": ["npm:vitest", "node:"],
  "tools/protoc-gen-platform": ["npm:*", "node:"],
  "tools/release": [
    ...["packages/broker", "packages/client", "packages/server", "packages/types", "packages/types-connect-v1"],
    ...["tools/testbed", "npm:*", "node:"],
  ],
  "tools/screenshots": ["tools/testbed", "npm:*", "node:"],
  "tools/architecture": ["npm:*", "node:"],
  "tools/build-platform.mjs": ["node:"],
  "tools/tally.mjs": ["node:"],
  "tools/first-visit.mjs": ["node:"],
  "tools/workspace-node.mjs": ["node:"],

  "tools/contract": ["npm:*", "node:"],
  // proto → image → Contract → lint | facts → compare | render → verdict.
  "contract/model": ["npm:@bufbuild/protobuf", "npm:zod"],
  "contract/buf": ["contract/model", "npm:zod", "node:"],
  "contract/render": ["contract/model", "npm:@bufbuild/protobuf", "npm:ajv", "npm:ajv-formats"],
  // The OpenAPI renderer decides which constraints it can express.
  "contract/lint": ["contract/model", "contract/buf", "contract/render"],
  "contract/facts": ["contract/model"],
  "contract/compare": ["contract/model", "contract/facts"],
  "contract/baseline": [
    ...["contract/model", "contract/buf", "contract/facts", "contract/compare", "npm:yaml", "npm:zod", "node:"],
  ],
  "contract/generate": ["contract/model", "contract/buf", "contract/render", "node:"],
  "contract/report.ts": ["contract/model"],
  "contract/rules-page.ts": ["contract/lint", "contract/compare", "contract/model", "node:"],
  "contract/testing": ["contract/*", "node:"],
  "contract/commands.ts": ["contract/*"],
  "contract/cli.ts": ["contract/*", "npm:commander", "node:"],
  "contract/main.ts": ["contract/cli.ts", "node:"],
};

// Tests, and the test code beside them, may import all of their package.
const testArrows = {
  // The fake platform is tested with the cases of the server's rules.
  client: [
    ...["packages/client", "packages/client/dist/", "packages/types", "packages/server/src/testing/", "npm:*", "node:"],
  ],
  server: [
    ...["packages/front", "packages/server", "packages/broker", "packages/types"],
    ...["tools/testbed", "npm:*", "node:"],
  ],
  contract: ["npm:*", "node:"],
};
// Runs the built client in its runtimes, against the built server.
const clientTest = [
  ...["packages/client", "packages/broker", "packages/server", "packages/server/src/storage/memory/"],
  "packages/client/dist/",
  ...["tools/testbed", "npm:*", "node:"],
];

const accounts = "^packages/accounts/src";
const browserCode = ["^apps/console/src/", "^packages/items/src/", "^packages/unlock/src/", `${accounts}/browser/`];
const sharedWithBrowsers = [
  ...[`${accounts}/keys/`, `${accounts}/people/personal-name[.]ts$`, `${accounts}/sessions/browser-name[.]ts$`],
];

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
/**
 * Test code of packages with parts: their tests, and folders inside of their parts that only tests use. One expression for all packages,
 * because the time to check that an expression is safe grows with its length, and most rules contain this one.
 */
const testCodeOf = (...folders) => [
  `^(${folders.join("|")})/(test/|src/(.+[.]test[.]tsx?$|[^/]+/(testing|fixtures)/|[^/]+/.+/(testing|fixtures)/))`,
  ...(folders.includes(parts.client) ? [`^${parts.client}/src/fixtures/`] : []),
  ...(folders.includes(parts.server) ? [`^${parts.server}/src/wire/`] : []),
];
const allTestCode = testCodeOf(...Object.values(parts));

/** The modules of a place. */
function modulesOf(place) {
  const [part, ...rest] = place.split("/");
  const folder = parts[part];
  const name = escaped(rest.join("/"));
  if (folder !== undefined) return name === "\\*" ? `^${folder}/` : `^${folder}/src/${name}(/|$)`;
  const isLayered = Object.values(parts).includes(place);
  return `^${escaped(place)}${isLayered ? "/(?!src/|test/)" : "(/|$)"}`;
}

/** What one name of an arrow allows. */
function targetOf(name) {
  if (name.startsWith("types:")) return { ...targetOf(name.slice(6)), dependencyTypes: ["type-only"] };
  if (name === "node:") return { dependencyTypes: ["core"] };
  if (name === "npm:*")
    return { pathNot: ["^(packages|apps|tools)/", "^@platform-rpc/", "^\\."], dependencyTypesNot: ["core"] };
  if (name.startsWith("npm:")) return { path: `(^|/node_modules/)${escaped(name.slice(4))}(/|$)` };
  if (/^(packages|apps|tools)\/[^/]+$/.test(name)) {
    const [, short] = name.split("/");
    return {
      path: `^(@platform-rpc/${escaped(short)}(/|$)|${escaped(name)}/(dist/|package\\.json$)${exported(name)})`,
    };
  }
  if (name.startsWith("@platform-rpc/")) return { path: `^${escaped(name)}` };
  // Also one that is not built yet.
  if (name.endsWith("/dist/")) return { path: `^(${escaped(name.slice(0, -6))}|[.][.]|[.][.]/[.][.])/dist/` };
  if (/^(packages|apps|tools)\//.test(name)) return { path: `^${escaped(name)}` };
  const inTests = name.endsWith("/*") ? {} : { pathNot: allTestCode };
  return { path: modulesOf(name), ...inTests };
}

/** Packages that are not built export their sources. */
function exported(name) {
  return /^(packages\/(accounts|front|items|signed-in|unlock)|tools\/.*|apps\/platform)$/.test(name)
    ? `|${escaped(name)}/src/`
    : "";
}

const allow = (from, names) => names.map((name) => ({ from, to: targetOf(name) }));

module.exports = {
  allowed: [
    ...Object.entries(arrows).flatMap(([place, names]) => {
      const from = { path: modulesOf(place), pathNot: allTestCode };
      const itself = place.includes("/") && place.split("/")[0] in parts ? [] : allow(from, [place]);
      return [{ from, to: { path: modulesOf(place), pathNot: allTestCode } }, ...itself, ...allow(from, names)];
    }),
    ...Object.entries(testArrows).flatMap(([part, names]) =>
      allow({ path: testCodeOf(parts[part]), pathNot: "^packages/client/test/" }, [`${part}/*`, ...names]),
    ),
    // Generated.
    { from: { path: "^packages/types(-internal)?/src/gen/" }, to: {} },
    ...allow({ path: "^packages/client/test/" }, ["packages/client/test/", ...clientTest]),
  ],
  allowedSeverity: "error",
  forbidden: [
    {
      name: "no-generic-name",
      comment: "Name the concept of the file or folder.",
      severity: "error",
      from: {},
      to: { path: "(^|/)(utils?|helpers?|common|misc|shared|lib)([.][cm]?[jt]sx?$|/)", dependencyTypes: ["local"] },
    },
    {
      name: "no-values-of-node-http",
      comment: 'They come from process.getBuiltinModule: see docs/internals/design.md, "Start".',
      severity: "error",
      from: { path: modulesOf("server/http"), pathNot: allTestCode },
      to: { path: "^(node:)?https?$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-node-in-browsers",
      comment: "This code runs in browsers, which have no modules of Node.",
      severity: "error",
      from: { path: [...browserCode, ...sharedWithBrowsers], pathNot: "[.]test[.]tsx?$" },
      to: { dependencyTypes: ["core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-entry-for-node-in-browsers",
      comment: "This code runs in browsers, and the entry is for programs on Node.",
      severity: "error",
      from: { path: browserCode, pathNot: "[.]test[.]tsx?$" },
      to: { path: "^(@platform-rpc|packages)/client/(dist/)?(session-file|session-loopback|undici)(/|$)" },
    },
    {
      name: "browsers-share-little-with-the-server",
      comment: "This code runs in browsers. List what it needs of the accounts origin in sharedWithBrowsers.",
      severity: "error",
      from: { path: browserCode, pathNot: "[.]test[.]tsx?$" },
      to: {
        path: ["^apps/", `${accounts}/`],
        pathNot: [...browserCode, ...sharedWithBrowsers],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "only-what-is-published",
      comment:
        "A team copies this program into a project that has the published packages only, and no entry that may change.",
      severity: "error",
      from: { path: "^apps/reference/(server|client|agent|broker)[.]ts$" },
      to: { path: ["^(@platform-rpc/|tools/)testbed(/|$)", "^(@platform-rpc|packages)/server/(dist/)?host([.]|$)"] },
    },
    {
      name: "no-circle",
      comment: "Modules import each other in a circle. Move what both need to where it belongs.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["(^|/)node_modules/", "/dist/"] },
    exclude: { path: ["^apps/handbook/pages/"] },
  },
};
