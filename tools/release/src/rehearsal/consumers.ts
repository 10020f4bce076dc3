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
  readonly resolution: "node16" | "nodenext" | "bundler";
  /** The file that runs the scenario. */
  readonly main: string;
  /** Where it runs: in this Node, in a Node that it installs (18 is the oldest supported), or bundled for a browser. */
  readonly runs: "node" | `node ${18 | 20 | 22 | 26}` | "browser bundle";
}

const scope = scopeOf(publishedPackages(root));
const ours = (...names: readonly string[]) => names.map((name) => `${scope}/${name}`);

/** The newest versions of the peers on the machine's registry. */
export const newest = { "@bufbuild/protobuf": "2", "@connectrpc/connect": "2" };
/** The lowest versions that the packages support. */
const lowest = {
  "@bufbuild/protobuf": "2.7.0",
  "@connectrpc/connect": "2.0.0",
  "@opentelemetry/api": "1.9.0",
};
const serverFloor = { "@bufbuild/protobuf": "2.10.0", "@connectrpc/connect": "2.2.0" };
/** Packages that the server's README and its test suite for adapters use. */
const aroundTheServer = {
  "@opentelemetry/api": "1.9.0",
  "fast-check": "4",
  pino: "10",
  express: "5",
  "@types/express": "5",
  fastify: "5",
  hono: "4",
};
const connectV1 = {
  "@bufbuild/protobuf": "1.10.0",
  "@connectrpc/connect": "1.7.0",
  "@connectrpc/connect-node": "1.7.0",
};

/** The oldest TypeScript that supports our declarations. It must skip those of protobuf-es, which need a newer one. */
const oldestTypescript = "5.2.2";
/** The oldest TypeScript that also supports the declarations of protobuf-es. */
const oldestCheckingTypescript = "5.7.3";
const typescript6 = "6.0.3";
const nativeTypescript = "7.0.2";

export const client = {
  files: "client",
  main: "main.ts",
  ours: ours("client", "types"),
  tag: "latest",
} as const;

const broker = {
  files: "broker",
  main: "main.ts",
  ours: ours("broker"),
  tag: "latest",
} as const;
const programs = {
  files: "programs",
  main: "main.ts",
  ours: ours("cli", "mcp"),
  tag: "latest",
  installs: {},
  libraries: "checked",
  resolution: "nodenext",
} as const;
const brokerFrameworks = { fastify: "5", hono: "4", "@hono/node-server": "2" };

export const consumers: readonly Consumer[] = [
  {
    ...client,
    name: "client, Node, ES modules",
    manager: "npm",
    installs: { ...newest, oauth4webapi: "3", undici: "7" },
    typescript: typescript6,
    libraries: "checked",
    resolution: "nodenext",
    runs: "node",
  },
  {
    ...client,
    name: "client, Node, CommonJS",
    manager: "pnpm",
    files: "client-commonjs",
    main: "main.cts",
    installs: newest,
    typescript: oldestTypescript,
    libraries: "trusted",
    resolution: "node16",
    runs: "node",
  },
  {
    ...client,
    name: "client, lowest of everything",
    manager: "npm",
    installs: lowest,
    typescript: oldestTypescript,
    libraries: "trusted",
    resolution: "node16",
    runs: "node 18",
  },
  {
    ...client,
    name: "client, lowest runtime by pnpm",
    manager: "pnpm",
    installs: lowest,
    typescript: oldestCheckingTypescript,
    libraries: "checked",
    resolution: "bundler",
    runs: "node 22",
  },
  {
    ...client,
    name: "client, browser",
    manager: "pnpm",
    installs: newest,
    typescript: nativeTypescript,
    libraries: "checked",
    resolution: "bundler",
    runs: "browser bundle",
  },
  {
    ...client,
    name: "client, canary",
    manager: "npm",
    installs: newest,
    tag: "canary",
    typescript: nativeTypescript,
    libraries: "checked",
    resolution: "nodenext",
    runs: "node 26",
  },
  {
    name: "types for Connect-ES v1",
    manager: "npm",
    files: "connect-v1",
    main: "main.ts",
    ours: ours("types-connect-v1"),
    tag: "latest",
    installs: connectV1,
    typescript: oldestTypescript,
    libraries: "checked",
    resolution: "node16",
    runs: "node 18",
  },
  {
    ...broker,
    name: "broker, lowest of everything",
    manager: "npm",
    installs: { ...brokerFrameworks, express: "4", "@types/express": "4" },
    typescript: oldestCheckingTypescript,
    libraries: "trusted",
    resolution: "node16",
    runs: "node 20",
  },
  {
    ...broker,
    name: "broker, newest of everything",
    manager: "pnpm",
    installs: { ...brokerFrameworks, express: "5", "@types/express": "5" },
    typescript: nativeTypescript,
    libraries: "checked",
    resolution: "nodenext",
    runs: "node 26",
  },
  {
    name: "server, lowest runtime",
    manager: "npm",
    files: "server",
    main: "main.ts",
    ours: ours("server", "client", "types"),
    tag: "latest",
    installs: { ...serverFloor, ...aroundTheServer, "@connectrpc/connect-node": "2.2.0", vitest: "4" },
    typescript: typescript6,
    libraries: "checked",
    resolution: "nodenext",
    runs: "node",
  },
  {
    name: "server, newest runtime",
    manager: "pnpm",
    files: "server",
    main: "main.ts",
    ours: ours("server", "client", "types"),
    tag: "latest",
    installs: { ...newest, ...aroundTheServer, "@connectrpc/connect-node": "2", vitest: "5" },
    typescript: nativeTypescript,
    libraries: "checked",
    resolution: "nodenext",
    runs: "node 26",
  },
  {
    ...programs,
    name: "programs, lowest runtime",
    manager: "npm",
    typescript: typescript6,
    runs: "node 22",
  },
  {
    ...programs,
    name: "programs, newest runtime",
    manager: "pnpm",
    typescript: nativeTypescript,
    runs: "node 26",
  },
];
