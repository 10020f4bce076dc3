import { join } from "node:path";
import ts from "typescript";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * What a TypeScript program can see of a package, as text: for each entry point, every exported declaration and every
 * declaration that those speak of, by name and without comments. Two builds of the same API give the same text, however
 * the bundler cut its chunks.
 */
export function apiReport({ folder, manifest }: WorkspacePackage): string {
  const sections = entryPoints(manifest.exports).map(
    ({ path, types }) => `## ${join(manifest.name, path)}\n\n${codeBlock(apiOf(join(folder, types)))}`,
  );
  const notice = "Made by `pnpm packages --write` from the built declarations. A change here is a change for callers.";
  return `# The public API of ${manifest.name}\n\n${notice}\n\n${sections.join("\n")}`;
}

/** The lines that one of two reports has and the other has not, marked - and +. */
export function changedLines(before: string, after: string): readonly string[] {
  const only = (mark: string, some: string, others: string) => {
    const known = new Set(others.split("\n"));
    return some.split("\n").flatMap((line) => (known.has(line) ? [] : [`${mark} ${line}`]));
  };
  return [...only("-", before, after), ...only("+", after, before)];
}

function entryPoints(exports: WorkspacePackage["manifest"]["exports"] = {}) {
  return Object.entries(exports).flatMap(([path, target]) => {
    const types = typesOf(target);
    return types === undefined ? [] : [{ path, types }];
  });
}

function typesOf(target: unknown): string | undefined {
  if (typeof target !== "object" || target === null) return undefined;
  const { import: esm, types }: { import?: unknown; types?: unknown } = target;
  return typeof types === "string" ? types : typesOf(esm);
}

function apiOf(entry: string): string {
  const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext, strict: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is no module: build the package first.`);

  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  const printed = new Map<ts.Symbol, string>();
  const home = join(entry, "..");

  const exported = checker.getExportsOfModule(module).map((symbol) => {
    const target = resolve(symbol);
    print(target);
    return symbol.name === target.name ? symbol.name : `${target.name} as ${symbol.name}`;
  });
  return [...[...printed.values()].sort(), `export { ${exported.sort().join(", ")} };`].join("\n");

  function resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function print(symbol: ts.Symbol): void {
    if (printed.has(symbol)) return;
    const declarations = (symbol.declarations ?? []).map(statementOf).filter((one) => one !== undefined);
    if (declarations.length === 0) return;
    printed.set(
      symbol,
      declarations.map((one) => printer.printNode(ts.EmitHint.Unspecified, one, one.getSourceFile())).join("\n"),
    );
    for (const declaration of declarations) visit(declaration);
  }

  function visit(node: ts.Node): void {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol) print(resolve(symbol));
    }
    ts.forEachChild(node, visit);
  }

  /** The statement of the package's own declarations that declares something, if it is a statement's own. */
  function statementOf(declaration: ts.Declaration): ts.Statement | undefined {
    if (!declaration.getSourceFile().fileName.startsWith(home)) return undefined;
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return ts.isStatement(node) && ts.isSourceFile(node.parent) ? node : undefined;
  }
}

function codeBlock(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\`\n`;
}
