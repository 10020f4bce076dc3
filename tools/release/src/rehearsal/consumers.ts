import { publishedPackages, root, scopeOf } from "../workspace.ts";

/** A project outside the workspace that uses the packages. */
export interface Consumer {
  readonly name: string;
  readonly manager: "npm" | "pnpm";
  /** The folder under consumers/ with its files. */
  readonly files: string;
  /** Names and ranges of the other packages that it installs, in addition to `ours`. */
  readonly installs: Readonly<Record<string, string>>;
  /** The names of our packages that it installs, by `tag`. */
  readonly ours: readonly string[];
  readonly tag: "latest" | "canary" | "previous";
  readonly typescript: string;
  /** Whether the compiler checks every declaration, or skips those of libraries (skipLibCheck). */
  readonly libraries: "checked" | "trusted";
  readonly resolution: "node10" | "node16" | "nodenext" | "bundler";
  /** The file that runs the scenario. */
  readonly main: string;
  /** Where it runs: in this Node, in a Node that it installs (18.0.0 is the oldest supported), or bundled for a browser. */
  readonly runs: "node" | `node ${"18.0.0" | "20.0.0" | "22.0.0" | "22.12.0" | "24.0.0" | "26"}` | "browser bundle";
}

const published = publishedPackages(root);
const scope = scopeOf(published);
const ours = (...names: readonly string[]) => names.map((name) => `${scope}/${name}`);

/** The newest versions of the peers on the machine's registry. */
const newest = { "@bufbuild/protobuf": "2", "@connectrpc/connect": "2" };

/** The lowest versions of the peers that a package supports. */
function lowestPeersOf(name: string): Readonly<Record<string, string>> {
  const { peerDependencies = {} } =
    published.find(({ manifest }) => manifest.name === `${scope}/${name}`)?.manifest ?? {};
  const peers = Object.entries(peerDependencies).filter(([peer]) => peer.startsWith("@"));
  return Object.fromEntries(peers.map(([peer, range]) => [peer, range.replace(/^\^/, "")]));
}

/** Packages that the server's README and its test suite for adapters use. */
const aroundTheServer = {
  "@opentelemetry/api": "1",
  "fast-check": "4",
  pino: "10",
  express: "5",
  "@types/express": "5",
  fastify: "5",
  hono: "4",
  pg: "8",
};
const connectV1 = { "@connectrpc/connect": "1.7.0", "@connectrpc/connect-node": "1.7.0" };

const typescript6 = { typescript: "6.0.3", libraries: "checked", resolution: "nodenext" } as const;
const nativeTypescript = { ...typescript6, typescript: "7.0.2" } as const;
/** Supports our declarations, but must skip those of protobuf-es, which need a newer one. */
const oldestTypescript = { typescript: "5.2.2", libraries: "trusted", resolution: "node16" } as const;
/** Also supports the declarations of protobuf-es. */
const oldestCheckingTypescript = { typescript: "5.7.3", libraries: "checked", resolution: "bundler" } as const;
/** The default of the compilers before 6 for CommonJS. */
const node10Typescript = { ...oldestCheckingTypescript, resolution: "node10" } as const;

/** Packages of the entries with an optional peer. */
const optionalPeers = { "@opentelemetry/api": "1", oauth4webapi: "3", undici: "7" };

/** The client of the newest release, on this Node. */
export const client = {
  files: "client",
  main: "main.ts",
  ours: ours("client", "types"),
  tag: "latest",
  manager: "npm",
  installs: newest,
  ...typescript6,
  runs: "node",
} as const;
const broker = { files: "broker", main: "main.ts", ours: ours("broker"), tag: "latest" } as const;
const server = { files: "server", main: "main.ts", ours: ours("server", "client", "types"), tag: "latest" } as const;
const programs = { files: "programs", main: "main.ts", ours: ours("cli", "mcp"), tag: "latest", installs: {} } as const;
const brokerFrameworks = { fastify: "5", hono: "4", "@hono/node-server": "2" };

export const consumers: readonly Consumer[] = [
  {
    ...client,
    name: "client, Node, ES modules",
    installs: { ...newest, ...optionalPeers },
  },
  {
    ...client,
    name: "client, Node, CommonJS",
    manager: "pnpm",
    files: "client-commonjs",
    main: "main.cts",
    ...oldestTypescript,
  },
  {
    ...client,
    name: "client, lowest of everything",
    installs: { ...lowestPeersOf("client"), oauth4webapi: "3.8.0" },
    ...oldestTypescript,
    runs: "node 18.0.0",
  },
  {
    ...client,
    name: "client, types by node10, Jest",
    installs: { ...newest, oauth4webapi: "3", jest: "30" },
    ...node10Typescript,
    runs: "node 20.0.0",
  },
  {
    ...client,
    name: "client, lowest runtime by pnpm",
    manager: "pnpm",
    installs: lowestPeersOf("client"),
    ...oldestCheckingTypescript,
    runs: "node 22.0.0",
  },
  {
    ...client,
    name: "client, browser",
    manager: "pnpm",
    ...nativeTypescript,
    resolution: "bundler",
    runs: "browser bundle",
  },
  {
    ...client,
    name: "client, canary",
    tag: "canary",
    ...nativeTypescript,
    runs: "node 26",
  },
  {
    name: "types for Connect-ES v1",
    manager: "npm",
    files: "connect-v1",
    main: "main.ts",
    ours: ours("types-connect-v1"),
    tag: "latest",
    installs: { ...lowestPeersOf("types-connect-v1"), ...connectV1 },
    ...oldestTypescript,
    libraries: "checked",
    runs: "node 18.0.0",
  },
  {
    ...broker,
    name: "broker, lowest of everything",
    manager: "npm",
    installs: { ...brokerFrameworks, express: "4", "@types/express": "4" },
    ...oldestCheckingTypescript,
    libraries: "trusted",
    resolution: "node16",
    runs: "node 20.0.0",
  },
  {
    ...broker,
    name: "broker, types by node10, Jest",
    manager: "npm",
    installs: { ...brokerFrameworks, express: "5", "@types/express": "5", jest: "30" },
    ...node10Typescript,
    runs: "node 22.0.0",
  },
  {
    ...broker,
    name: "broker, newest of everything",
    manager: "pnpm",
    installs: { ...brokerFrameworks, express: "5", "@types/express": "5" },
    ...nativeTypescript,
    runs: "node 26",
  },
  {
    ...server,
    name: "server, lowest runtime",
    manager: "npm",
    installs: {
      ...aroundTheServer,
      ...lowestPeersOf("server"),
      "@connectrpc/connect-node": "2.2.0",
      vitest: "4",
      jest: "30",
    },
    ...typescript6,
    runs: "node 24.0.0",
  },
  {
    ...server,
    name: "server, newest runtime",
    manager: "pnpm",
    installs: { ...newest, ...aroundTheServer, "@connectrpc/connect-node": "2", vitest: "5" },
    ...nativeTypescript,
    runs: "node 26",
  },
  {
    ...programs,
    name: "programs, lowest runtime",
    manager: "npm",
    ...typescript6,
    runs: "node 22.12.0",
  },
  {
    ...programs,
    name: "programs, newest runtime",
    manager: "pnpm",
    ...nativeTypescript,
    runs: "node 26",
  },
];
