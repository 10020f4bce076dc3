import ts from "typescript";

export interface Import {
  /** The specifier as written: "../ports/clock.js", "@platform-rpc/types", "node:fs". */
  readonly specifier: string;
  /** True if the import does not exist at run time. */
  readonly typeOnly: boolean;
}

/** The imports and exports of a source file, as far as the rules need them. */
export interface Module {
  /** The path from the root of the workspace, with slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** The globals of Node that it uses. */
  readonly nodeGlobals: readonly string[];
  readonly exportsAll: boolean;
  readonly exportsDefault: boolean;
}

/** The specifier of an import whose name is computed at run time. */
export const computed = "(computed)";

export function readModule(path: string, source: string): Module {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(file);
  return {
    path,
    imports: nodes.flatMap((node) => importOf(node) ?? []),
    nodeGlobals: [...new Set(nodes.flatMap((node) => nodeGlobalOf(node) ?? []))],
    exportsAll: file.statements.some(exportsAll),
    exportsDefault: file.statements.some(exportsDefault),
  };
}

/** Returns whether a statement is a forbidden `export *`. Types of generated modules are exempt: a list would get out of date. */
function exportsAll(node: ts.Statement): boolean {
  if (!ts.isExportDeclaration(node) || isNamed(node.exportClause)) return false;
  const from = node.moduleSpecifier;
  return from === undefined || !ts.isStringLiteral(from) || !from.text.includes("/gen/") || !node.isTypeOnly;
}

/** Returns a node and everything in it. */
function nodesOf(root: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const add = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, add);
  };
  add(root);
  return nodes;
}

const nodeGlobals = new Set(["Buffer", "__dirname", "__filename", "global", "process", "require", "setImmediate"]);

function nodeGlobalOf(node: ts.Node): string | undefined {
  return ts.isIdentifier(node) && nodeGlobals.has(node.text) && !isPropertyName(node) ? node.text : undefined;
}

/** Returns whether an identifier names a property, as `process` does in `runtime.process`. */
function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) return parent.name === node;
  return ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent);
}

function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause;
    const typeOnly =
      clause?.phaseModifier === ts.SyntaxKind.TypeKeyword || onlyTypes(clause?.namedBindings, clause?.name);
    return { specifier: textOf(node.moduleSpecifier), typeOnly };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: textOf(node.moduleSpecifier), typeOnly: node.isTypeOnly || onlyTypes(node.exportClause) };
  }
  if (ts.isImportTypeNode(node)) {
    const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    return { specifier: textOf(literal), typeOnly: true };
  }
  if (ts.isExternalModuleReference(node)) return { specifier: textOf(node.expression), typeOnly: false };
  if (ts.isCallExpression(node) && loads(node.expression)) {
    return { specifier: textOf(node.arguments[0]), typeOnly: false };
  }
  return undefined;
}

function textOf(node: ts.Node | undefined): string {
  return node && ts.isStringLiteralLike(node) ? node.text : computed;
}

function loads(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}

function onlyTypes(
  bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined,
  name?: ts.Identifier,
): boolean {
  if (name || !bindings || !isNamed(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function isNamed(
  bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined,
): bindings is ts.NamedImports | ts.NamedExports {
  return bindings !== undefined && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings));
}

function exportsDefault(node: ts.Statement): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportDeclaration(node)) {
    return isNamed(node.exportClause) && node.exportClause.elements.some((element) => element.name.text === "default");
  }
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((one) => one.kind === ts.SyntaxKind.DefaultKeyword)
  );
}
