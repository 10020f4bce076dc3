import { attempt } from "../wire/read-json.js";

/** The process of Node, Bun, Deno, or of a bundler's polyfill; undefined in browsers. */
interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string };
  };
}

const runtime: Runtime = globalThis;

/** Returns an environment variable; undefined if it is not set, is empty, or cannot be read. */
export function environment(name: string): string | undefined {
  // Deno without --allow-env throws.
  return attempt(() => runtime.process?.env?.[name] || undefined);
}

/** Returns whether the program may set User-Agent. Browsers ignore it, or require the server to allow it (CORS). */
export const isNode = (): boolean => !!runtime.process?.versions?.node;
