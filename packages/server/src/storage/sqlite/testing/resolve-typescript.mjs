import { registerHooks } from "node:module";

// Node strips the types of our sources itself, but does not find `./x.ts` when they import `./x.js`.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.startsWith(".") ? specifier.replace(/\.js$/, ".ts") : specifier, context),
});
