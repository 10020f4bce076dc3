// The app runs without installed packages. Left to itself, tsup bundles all of them but the dependencies in package.json.
const noExternal = [/./];
const accounts = "node_modules/@platform-rpc/accounts/src";

module.exports = [
  {
    entry: {
      main: "src/main.ts",
      demo: "src/demo.ts",
      "writer-thread": "node_modules/@platform-rpc/server/dist/writer-thread.js",
    },
    noExternal,
    format: ["esm"],
    dts: false,
    clean: ["!assets/**"],
    sourcemap: true,
    removeNodeProtocol: false,
    target: "node24",
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
    },
  },
  {
    entry: {
      style: `${accounts}/pages/style.css`,
      icon: `${accounts}/pages/icon.svg`,
      device: `${accounts}/browser/device.ts`,
      "offline-worker": `${accounts}/browser/offline/worker.ts`,
      reset: `${accounts}/browser/reset.ts`,
      "replace-code": `${accounts}/browser/replace-code.ts`,
      review: `${accounts}/browser/review.ts`,
      "sealed-names": `${accounts}/browser/sealed-names.ts`,
      session: `${accounts}/browser/session.ts`,
      "sign-in": `${accounts}/browser/sign-in.ts`,
      "sign-up": `${accounts}/browser/sign-up.ts`,
    },
    noExternal,
    outDir: "dist/assets",
    format: ["esm"],
    platform: "browser",
    dts: false,
    clean: true,
    minify: true,
    splitting: true,
    target: "es2022",
    loader: { ".svg": "copy" },
    publicDir: "node_modules/@platform-rpc/console/dist",
  },
];
