import ts from "typescript";
import type { Mutant } from "./mutant.ts";

/** Returns the id of a mutant, or undefined to leave it out. */
export type Choose = (mutant: Mutant) => number | undefined;

const { SyntaxKind, factory } = ts;

const comparisons = new Set<ts.SyntaxKind>([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]);

/**
 * Compiles a source file to JavaScript that contains every mutant, so that tests of all mutants use the same compiled file. The
 * global function `mutant(id)` must return whether a mutant is active.
 */
export function mutate(file: string, source: string, choose: Choose): string {
  return ts.transpileModule(source, {
    fileName: file,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    transformers: { before: [(context) => (sourceFile) => mutateFile(file, sourceFile, choose, context)] },
  }).outputText;
}

function mutateFile(file: string, sourceFile: ts.SourceFile, choose: Choose, context: ts.TransformationContext) {
  const marks: Marks = { conditions: new Set(), elements: new Set(), kept: new Set() };
  let within = "";
  let depth = 0;

  /** Calls `change` with a call that returns whether the mutant is active. */
  function offer<Part>(node: ts.Node, kind: Mutant["kind"], part: Part, change: (active: ts.Expression) => Part): Part {
    const id = choose({ file, within, kind, text: node.getText(sourceFile).replaceAll(/\s+/g, " ") });
    if (id === undefined) return part;
    const callee = factory.createIdentifier("mutant");
    return change(factory.createCallExpression(callee, undefined, [factory.createNumericLiteral(id)]));
  }

  function changeExpression(node: ts.Node, expression: ts.Expression): ts.Expression {
    let part = expression;
    if (isComparison(node) || isBoolean(node)) {
      // The inverted value while the mutant is active, because both sides are booleans.
      part = offer(node, "inverted", part, (active) =>
        brackets(factory.createStrictInequality(active, brackets(part))),
      );
    }
    if (marks.conditions.has(node)) {
      part = offer(node, "always true", part, (active) => choice(active, factory.createTrue(), part));
      part = offer(node, "always false", part, (active) => choice(active, factory.createFalse(), part));
    }
    if (!marks.elements.has(node)) return part;
    return offer(node, "deleted", part, (active) => {
      const [none, one] = [factory.createArrayLiteralExpression(), factory.createArrayLiteralExpression([part])];
      return factory.createSpreadElement(choice(active, none, one));
    });
  }

  function change(node: ts.Node, part: ts.Node): ts.Node {
    if (ts.isExpression(part)) return changeExpression(node, part);
    if (ts.isStatement(part) && isDeletable(node, marks)) {
      return offer(node, "deleted", part, (active) =>
        factory.createIfStatement(factory.createLogicalNot(active), factory.createBlock([part])),
      );
    }
    if (ts.isObjectLiteralElementLike(part) && isDeletable(node, marks)) {
      return offer(node, "deleted", part, (active) => {
        const [none, one] = [factory.createObjectLiteralExpression(), factory.createObjectLiteralExpression([part])];
        return factory.createSpreadAssignment(choice(active, none, one));
      });
    }
    return part;
  }

  function visit(node: ts.Node): ts.Node {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return node;
    const outer = within;
    within = nameOf(node, depth) ?? within;
    depth += ts.isFunctionLike(node) ? 1 : 0;
    mark(node, marks);
    const visited = ts.visitEachChild(node, visit, context);
    depth -= ts.isFunctionLike(node) ? 1 : 0;
    // What a module does when it is loaded is not part of a decision.
    const changed = depth === 0 ? visited : change(node, visited);
    within = outer;
    return changed;
  }
  return ts.visitEachChild(sourceFile, visit, context);
}

interface Marks {
  /** The parts of conditions that are not comparisons. */
  readonly conditions: Set<ts.Node>;
  /** The elements of arrays. */
  readonly elements: Set<ts.Node>;
  /** What is not deleted: another mutant has the same effect, or every test of the function would fail. */
  readonly kept: Set<ts.Node>;
}

function mark(node: ts.Node, { conditions, elements, kept }: Marks): void {
  if (ts.isConditionalExpression(node)) for (const part of partsOf(node.condition)) conditions.add(part);
  if (isLogical(node)) for (const part of partsOf(node)) conditions.add(part);
  if (ts.isIfStatement(node)) {
    for (const part of partsOf(node.expression)) conditions.add(part);
    const [only, ...others] = ts.isBlock(node.thenStatement) ? node.thenStatement.statements : [node.thenStatement];
    if (only !== undefined && others.length === 0) kept.add(only);
    if (node.elseStatement !== undefined || conditions.has(withoutNot(node.expression))) kept.add(node);
  }
  if (ts.isBlock(node) && ts.isFunctionLike(node.parent)) {
    const last = node.statements.at(-1);
    if (last !== undefined && ts.isReturnStatement(last)) kept.add(last);
  }
  if (ts.isArrayLiteralExpression(node))
    for (const element of node.elements) if (isRecord(element)) elements.add(element);
}

/** Splits a condition at `&&`, `||` and `!`. Returns the parts that are neither comparisons nor constants. */
function partsOf(condition: ts.Expression): readonly ts.Expression[] {
  const bare = withoutNot(condition);
  if (isLogical(bare)) return [...partsOf(bare.left), ...partsOf(bare.right)];
  return isComparison(bare) || ts.isLiteralExpression(bare) || isBoolean(bare) ? [] : [bare];
}

function withoutNot(expression: ts.Expression): ts.Expression {
  if (ts.isParenthesizedExpression(expression)) return withoutNot(expression.expression);
  const isNot = ts.isPrefixUnaryExpression(expression) && expression.operator === SyntaxKind.ExclamationToken;
  return isNot ? withoutNot(expression.operand) : expression;
}

function isLogical(node: ts.Node): node is ts.BinaryExpression {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken;
}

function isComparison(node: ts.Node): boolean {
  return ts.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind);
}

function isBoolean(node: ts.Node): boolean {
  if (node.parent !== undefined && ts.isPropertyAssignment(node.parent) && node.parent.name.getText() === "ok")
    return false;
  return node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword;
}

function isDeletable(node: ts.Node, { kept }: Marks): boolean {
  if (kept.has(node)) return false;
  if (ts.isPropertyAssignment(node)) return !isPlain(node);
  return (
    ts.isExpressionStatement(node) || ts.isReturnStatement(node) || ts.isThrowStatement(node) || ts.isIfStatement(node)
  );
}

function isRecord(node: ts.Expression): boolean {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return isRecord(node.expression);
  return ts.isObjectLiteralExpression(node) || ts.isCallExpression(node);
}

function isPlain({ name, initializer }: ts.PropertyAssignment): boolean {
  return (
    isBoolean(initializer) ||
    ts.isIdentifier(initializer) ||
    (ts.isIdentifier(name) && ["kind", "outcome", "writes", "ok", "reason", "status", "state"].includes(name.text))
  );
}

/** Returns the name of a function, or of a variable of the module, whose value may contain functions. */
function nameOf(node: ts.Node, depth: number): string | undefined {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
  if (!isNamed && !(ts.isVariableDeclaration(node) && depth === 0)) return undefined;
  return node.name !== undefined && ts.isIdentifier(node.name) ? node.name.text : undefined;
}

function brackets(expression: ts.Expression): ts.Expression {
  return factory.createParenthesizedExpression(expression);
}

function choice(active: ts.Expression, changed: ts.Expression, original: ts.Expression): ts.Expression {
  return brackets(factory.createConditionalExpression(active, undefined, changed, undefined, original));
}
