const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const openapi = JSON.parse(readFileSync(join(__dirname, "../../apps/platform/src/gen/openapi.json"), "utf8"));
const operations = Object.keys(openapi.paths).length;

/** Each operation may add so much to what every caller loads. Values are kilobytes, minified and gzipped. */
const limit = (base, each) => `${(base + each * operations).toFixed(2)} kB`;

module.exports = [
  {
    name: "@platform-rpc/client and all that it brings, one operation called",
    path: "../../packages/client/dist/index.js",
    import: "{ createPlatformClient }",
    gzip: true,
    limit: limit(40.9, 0.3),
  },
  {
    name: "@platform-rpc/client/json, a client with every operation",
    path: "../../packages/client/dist/json/index.js",
    import: "{ createPlatformClient }",
    gzip: true,
    limit: limit(9.1, 0.15),
  },
  {
    name: "@platform-rpc/client/json, every export",
    path: "../../packages/client/dist/json/index.js",
    gzip: true,
    limit: limit(9.95, 0.15),
  },
  {
    name: "@platform-rpc/types and the protobuf runtime, one service",
    path: "../../packages/types/dist/index.js",
    import: "{ VaultService }",
    gzip: true,
    limit: limit(17.6, 0.2),
  },
  {
    name: "@platform-rpc/types-connect-v1 and the protobuf runtime, one service",
    path: "../../packages/types-connect-v1/dist/index.js",
    import: "{ VaultService }",
    gzip: true,
    limit: limit(19.6, 0.2),
  },
];
