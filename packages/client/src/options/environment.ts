import { attempt } from "../wire/read-json.js";

/** The process of Node, Bun, Deno, or of a bundler's polyfill; undefined in browsers. */
interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string };
  };
}

const runtime: Runtime = globalThis;

/** A variable of the environment; undefined if there is none or it cannot be read. */
export function environment(name: string): string | undefined {
  // Deno without --allow-env throws.
  return attempt(() => runtime.process?.env?.[name] || undefined);
}

/** Whether the program may set User-Agent: browsers either ignore it or ask the server's permission (CORS). */
export const isNode = (): boolean => !!runtime.process?.versions?.node;
