/** A change of a package's API, and a program that was written for the release. */
export interface ApiProof {
  readonly what: string;
  readonly level: "major" | "minor";
  readonly released: string;
  readonly changed: string;
  /** Imports the package as `#package`. It compiles with the release. */
  readonly program: string;
}

const api = `export interface CallOptions {
    timeoutMs?: number;
}

export interface Item {
    id: string;
}

export interface Port {
    read(id: string): Promise<Item>;
}

export declare function call(input: {
    id: string;
}, options?: CallOptions): Promise<Item>;

export declare function serve(port: Port): void;`;

const calls = `import { call, type CallOptions, type Item, type Port, serve } from "#package";
const options: CallOptions = {};
const port: Port = { read: async (id) => ({ id }) };
export async function program(): Promise<string> {
  serve(port);
  const item: Item = await call({ id: "a" }, options);
  return item.id;
}
`;

const changed = (before: string, after: string) => ({
  released: api,
  changed: api.replace(before, after),
  program: calls,
});

/** With a major change the program does not compile, with a minor one it does. */
export const apiProofs: readonly ApiProof[] = [
  { what: "an export removed", level: "major", ...changed("export declare function serve(port: Port): void;", "") },
  {
    what: "a member removed",
    level: "major",
    ...changed("    id: string;\n}\n\nexport interface Port", "}\n\nexport interface Port"),
  },
  {
    what: "a member of another type",
    level: "major",
    ...changed("    id: string;\n}\n\nexport interface Port", "    id: number;\n}\n\nexport interface Port"),
  },
  {
    what: "a required member of exported options",
    level: "major",
    ...changed("    timeoutMs?: number;\n", "    timeoutMs?: number;\n    key: string;\n"),
  },
  {
    what: "a required member of an object type in a parameter",
    level: "major",
    ...changed("    id: string;\n}, options", "    id: string;\n    key: string;\n}, options"),
  },
  {
    what: "a required member of what callers implement",
    level: "major",
    ...changed("Promise<Item>;\n}", "Promise<Item>;\n    close(): void;\n}"),
  },
  {
    what: "an optional member of exported options",
    level: "minor",
    ...changed("    timeoutMs?: number;\n", "    timeoutMs?: number;\n    key?: string;\n"),
  },
  {
    what: "an export added",
    level: "minor",
    released: api,
    changed: `${api}\n\nexport declare const version: string;`,
    program: calls,
  },
  {
    what: "a member of what callers only receive",
    level: "minor",
    released: "export interface Answer {\n    id: string;\n}\n\nexport declare function ask(): Answer;",
    changed: "export interface Answer {\n    id: string;\n    at: number;\n}\n\nexport declare function ask(): Answer;",
    program: 'import { ask } from "#package";\nexport const id: string = ask().id;\n',
  },
];
