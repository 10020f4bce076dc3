import { registerHooks } from "node:module";

// Node strips the types of our sources, but does not resolve `./x.js`, as they name their imports, to `x.ts`.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(
      specifier.startsWith(".") && context.parentURL?.endsWith(".ts") ? specifier.replace(/\.js$/, ".ts") : specifier,
      context,
    ),
});
