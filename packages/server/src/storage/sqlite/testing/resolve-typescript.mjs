import { registerHooks } from "node:module";

// Node strips the types of our sources by itself, but takes `./x.js`, which is what they import, by its word.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.startsWith(".") ? specifier.replace(/\.js$/, ".ts") : specifier, context),
});
