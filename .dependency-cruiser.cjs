// The arrows of ARCHITECTURE.md: what each place may import, besides itself. An import that no arrow allows is an error, type-only
// imports included. So is a module of a place that has no arrow.
//
// A place is a package of packages/ or packages/private/, an app, a tool, or a folder or file of the src of a package whose parts have
// their own arrows: "server/http". Its arrow names:
// - places: "server/*" is all of the server
// - paths: "packages/server/src/domain/" is imported as it is, and not by the name of the package
// - packages of others: "npm:<package>", "npm:*" for all of them, and "node:" for the modules of Node
// After "type-only:", only types may be imported.

const parts = { client: "packages/client", server: "packages/server", contract: "tools/contract" };

const protobuf = "npm:@bufbuild/protobuf";
const connect = `${protobuf} npm:@connectrpc/connect`;
const clientCore = "client/device client/call client/options client/error client/wire";
const domain = "server/ports server/domain";

// Storage knows of records, and of no entity: a new one, or a new member of one, changes nothing there. Only the copy of a database
// asks which keys it is bound to.
const storedTypes = ["actor", "audit-seal", "collection", "decision", "history", "item", "record", "vault"]
  .map((name) => `model/${name}`)
  .concat("bound-keys", "rule")
  .map((name) => `packages/server/src/domain/${name}.ts`)
  .join(" ");

const mainEntries = `server/platform.ts server/http server/services server/jobs server/contract server/tokens
  server/limits server/storage server/audit ${domain}`;

const arrows = {
  types: protobuf,
  "types-internal": `types ${protobuf}`,
  // Its example calls through Connect-ES v1, on Node.
  "types-connect-v1": `${connect} npm:@connectrpc/connect-node node:`,
  // Checks the options of published functions.
  options: "npm:vitest",
  // The connections of every listener, and the signed-in person of every program. Who uses them contains a copy of them.
  front: "npm:vitest node:",
  // Files that only their owner may use. The client, the server and the programs contain a copy.
  files: "npm:vitest node:",
  // What an item contains, and what opens it. Runs in browsers, too. It decodes base64url as the client does.
  items: "client packages/client/src/crypto/bytes.ts npm:vitest npm:fast-check npm:ajv node:",
  "signed-in": `client files items types types-internal ${connect} npm:vitest npm:zod node:`,
  broker: "options npm:* node:",
  // The accounts origin: where people sign in. Its browser code seals keys as the client does. Its tests start browsers.
  accounts: "broker client front items server types types-internal tools/testbed npm:* node:",

  // Outside of src: examples.
  client: "options types npm:* node:",
  // What both entries of the client share: each folder may import those after it. They need no package at run time.
  "client/device": "options client/call client/options client/error client/wire client/gen",
  "client/call": "options client/options client/error client/wire",
  "client/options": "options client/error client/wire",
  "client/error": "options client/wire type-only:types",
  "client/wire": "options",
  "client/advance-cursor.ts": "",
  "client/gen": "client/* types npm:*",
  "client/json": `client/advance-cursor.ts ${clientCore} client/gen`,
  "client/connect": `options ${clientCore} client/gen types ${connect}`,
  "client/index.ts": `client/advance-cursor.ts ${clientCore} client/gen client/connect`,
  "client/otel": `options ${clientCore} npm:@opentelemetry/api`,
  "client/session": `options ${clientCore} client/crypto npm:oauth4webapi`,
  // For programs on Node.
  "client/session-file": "client/crypto files type-only:client/session node:",
  "client/session-loopback": `${clientCore} client/session node:`,
  "client/undici": `options ${clientCore} npm:undici`,
  "client/pop": "options client/crypto",
  "client/crypto": "options",
  // The rules and the messages of the fake platform are the server's. Its entry contains a copy of them.
  "client/testing": `options ${clientCore} types ${connect} packages/server/src/domain/
    packages/server/src/services/exchange-response.ts packages/server/src/services/item-message.ts
    packages/server/src/testing/cases/memory-storage.ts`,

  // Outside of src: examples.
  server: "options types npm:* node:",
  "server/domain": "",
  "server/ports": "type-only:server/domain",
  "server/audit": "server/domain node:",
  "server/jobs": `type-only:server/services ${domain}`,
  "server/services": `options server/contract ${domain} server/gen types ${connect}`,
  "server/http": `options server/services server/contract server/gen ${domain} front types ${connect} node:`,
  // Tokens are bound only to keys that brokers accept.
  "server/tokens": `options files ${domain} broker npm:jose node:`,
  "server/limits": `${domain} node:`,
  "server/storage": `options server/audit server/ports ${storedTypes} npm:pg node:`,
  "server/gen": `types type-only:server/domain ${connect}`,
  "server/contract": `server/gen type-only:server/ports type-only:server/domain types ${connect} npm:@bufbuild/protovalidate`,
  "server/otel": "options server/ports npm:@opentelemetry/api",
  // The suite lists changes through the operation. The suite of key-value stores tests the storage on them.
  "server/testing": `server/audit server/services ${domain} types packages/server/src/storage/key-value/
    ${protobuf} npm:vitest npm:fast-check`,
  "server/platform-options.ts": `options server/services server/jobs server/contract server/tokens ${domain}`,
  "server/platform.ts": `server/platform-options.ts server/services server/jobs server/contract server/tokens server/limits ${domain} server/gen types`,
  "server/fetch.ts": `server/platform.ts server/http server/tokens server/audit ${domain} packages/server/src/storage/key-value/`,
  "server/postgres.ts": "server/storage",
  "server/index.ts": mainEntries,
  "server/host.ts": mainEntries,

  // The requests of agents, with the secrets of items. The program of a person contains a copy.
  "credential-broker": `broker client files front items signed-in types types-internal tools/testbed ${connect} npm:vitest npm:fast-check npm:jose
    npm:octokit npm:openai node:`,

  // Programs. They may not import the server, and are tested against the built app.
  cli: "broker credential-broker front items signed-in client types types-internal npm:* node:",
  mcp: "items options signed-in client types types-internal tools/testbed npm:* node:",

  // Runs in browsers. The app serves its built files, and imports none. Of the accounts, it uses what runs in browsers, and
  // the types of the responses to its pages.
  "apps/console": `client items types types-internal npm:* node:
    @platform-rpc/accounts/browser/ @platform-rpc/accounts/keys/ @platform-rpc/accounts/pages/brand
    @platform-rpc/accounts/people/personal-name @platform-rpc/accounts/sessions/browser-name
    @platform-rpc/accounts/account/access-api @platform-rpc/accounts/account/activity-api
    @platform-rpc/accounts/account/connected-software @platform-rpc/accounts/console/console-routes
    @platform-rpc/accounts/unlocks/unlocks-api`,
  "apps/platform": "accounts client files front items mcp server types types-internal tools/testbed npm:* node:",
  // What a team copies. The platform that the agent signs in to is started, and never imported.
  "apps/reference": "broker client server tools/testbed npm:vitest node:",
  "apps/handbook": "tools/docs/api-reference tools/testbed types npm:* node:",

  "tools/testbed": "npm:* node:",
  // The app's log, and the listener of members.
  "tools/bench": "apps/platform accounts client server types tools/testbed npm:* node:",
  // Its models are those of the server's tests.
  "tools/faults": "client server tools/testbed npm:* node:",
  "tools/docs/api-reference": "broker client mcp server types tools/testbed npm:* node:",
  "tools/docs": "npm:vitest node:",
  "tools/extending": "npm:vitest node:",
  "tools/protoc-gen-platform": "npm:* node:",
  "tools/release": "broker client server types types-connect-v1 tools/testbed npm:* node:",
  "tools/docs/screenshots": "accounts tools/testbed npm:* node:",
  "tools/architecture": "npm:* node:",
  "tools/budgets.mjs": "node:",
  "tools/build-platform.mjs": "node:",
  "tools/tally.mjs": "node:",
  "tools/first-visit.mjs": "node:",
  "tools/workspace-node.mjs": "node:",

  "tools/contract": "npm:* node:",
  // proto → image → Contract → lint | facts → compare | render → verdict.
  "contract/model": `${protobuf} npm:zod`,
  "contract/buf": "contract/model npm:zod node:",
  "contract/render": `contract/model ${protobuf} npm:ajv npm:ajv-formats`,
  // The OpenAPI renderer decides which constraints it can express.
  "contract/lint": "contract/model contract/buf contract/render",
  "contract/facts": "contract/model",
  "contract/compare": "contract/model contract/facts",
  "contract/baseline": "contract/model contract/buf contract/facts contract/compare npm:zod node:",
  "contract/generate": "contract/model contract/buf contract/render contract/lint contract/compare node:",
  "contract/testing": "contract/* node:",
  "contract/commands.ts": "contract/*",
  "contract/cli.ts": "contract/* npm:commander node:",
  "contract/main.ts": "contract/cli.ts node:",
};

// Tests, and the test code beside them, may import all of their package.
const testArrows = {
  // The fake platform is tested with the cases of the server's rules.
  client: "options client packages/client/dist/ types packages/server/src/testing/ npm:* node:",
  server: "files front options server broker types tools/testbed npm:* node:",
  contract: "npm:* node:",
};
// Runs the built client in its runtimes, against the built server.
const clientTest = `packages/client/test/runtimes/ client packages/client/dist/ broker server packages/server/src/storage/memory/
  tools/testbed npm:* node:`;

const accounts = "^packages/private/accounts/src";
const browserCode = ["^apps/console/src/", "^packages/private/items/src/", `${accounts}/browser/`];
const sharedWithBrowsers = [
  ...[`${accounts}/keys/`, `${accounts}/people/personal-name[.]ts$`, `${accounts}/sessions/browser-name[.]ts$`],
  `${accounts}/device/typed-code[.]ts$`,
  `${accounts}/pages/brand[.]ts$`,
];

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
/**
 * Test code of packages with parts: their tests, and folders inside of their parts that only tests use. One expression for all packages,
 * because the time to check that an expression is safe grows with its length, and most rules contain this one.
 */
const testCodeOf = (...folders) => [
  `^(${folders.join("|")})/(test/|src/(.+[.]test[.]tsx?$|[^/]+/(testing|fixtures)/|[^/]+/.+/(testing|fixtures)/))`,
  ...(folders.includes(parts.client) ? [`^${parts.client}/src/fixtures/`] : []),
];
const allTestCode = testCodeOf(...Object.values(parts));

/** The packages that are never published: those in packages/private. */
const isPrivate = (name) =>
  /^(accounts|credential-broker|files|front|items|options|signed-in|types-internal)$/.test(name);

/** The folder of a package, an app or a tool. */
const folderOf = (name) => (name.includes("/") ? name : `packages/${isPrivate(name) ? "private/" : ""}${name}`);

/** The modules of a place. */
function modulesOf(place) {
  const [part, ...rest] = place.split("/");
  const inPart = escaped(rest.join("/"));
  if (inPart === "\\*") return `^${parts[part]}/`;
  if (inPart !== "" && part in parts) return `^${parts[part]}/src/${inPart}(/|$)`;
  const isLayered = Object.values(parts).includes(folderOf(place));
  return `^${escaped(folderOf(place))}${isLayered ? "/(?!src/|test/)" : "(/|$)"}`;
}

/** What one name of an arrow allows. */
function targetOf(name) {
  if (name.startsWith("type-only:")) return { ...targetOf(name.slice(10)), dependencyTypes: ["type-only"] };
  if (name === "node:") return { dependencyTypes: ["core"] };
  if (name === "npm:*")
    return { pathNot: ["^(packages|apps|tools)/", "^@platform-rpc/", "^\\."], dependencyTypesNot: ["core"] };
  if (name.startsWith("npm:")) return { path: `(^|/node_modules/)${escaped(name.slice(4))}(/|$)` };
  if (/^((apps|tools|tools\/docs)\/)?[^/:]+$/.test(name)) {
    const folder = escaped(folderOf(name));
    const sources = isBuilt(name) ? "" : `|${folder}/src/`;
    return { path: `^(@platform-rpc/${folder.split("/").at(-1)}(/|$)|${folder}/(dist/|package\\.json$)${sources})` };
  }
  if (name.startsWith("@platform-rpc/")) return { path: `^${escaped(name)}` };
  // Also one that is not built yet.
  if (name.endsWith("/dist/")) return { path: `^(${escaped(name.slice(0, -6))}|[.][.]|[.][.]/[.][.])/dist/` };
  if (/^(packages|apps|tools)\//.test(name)) return { path: `^${escaped(name)}` };
  return name.endsWith("/*") ? { path: modulesOf(name) } : { path: modulesOf(name), pathNot: allTestCode };
}

/** Packages that are not built export their sources. */
const isBuilt = (name) => !isPrivate(name) && !/^(tools\/.*|apps\/platform)$/.test(name);

const allow = (from, names) => names.match(/\S+/g)?.map((name) => ({ from, to: targetOf(name) })) ?? [];

module.exports = {
  allowed: [
    ...Object.entries(arrows).flatMap(([place, names]) => {
      const from = { path: modulesOf(place), pathNot: allTestCode };
      const isPart = place.includes("/") && place.split("/")[0] in parts;
      const itself = { from, to: { path: modulesOf(place), pathNot: allTestCode } };
      return [itself, ...allow(from, isPart ? names : `${place} ${names}`)];
    }),
    ...Object.entries(testArrows).flatMap(([part, names]) =>
      allow({ path: testCodeOf(parts[part]), pathNot: "^packages/client/test/runtimes/" }, `${part}/* ${names}`),
    ),
    ...allow({ path: "^packages/client/test/runtimes/" }, clientTest),
    // Generated.
    { from: { path: "^packages/types(-internal)?/src/gen/" }, to: {} },
  ],
  allowedSeverity: "error",
  forbidden: [
    {
      name: "no-generic-name",
      comment: "Name the concept of the file or folder.",
      severity: "error",
      from: {},
      to: {
        path: "(^|/)((utils?|helpers?|common|misc|shared|lib)([.][cm]?[jt]sx?$|/)|(parts|program|site)/)",
        dependencyTypes: ["local"],
      },
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
        "A team copies these programs into a project that has the published packages only, and none of their private entries.",
      severity: "error",
      from: { path: "^(apps/reference/(server|client|agent|broker)|packages/[^/]+/examples/.+)[.]ts$" },
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
