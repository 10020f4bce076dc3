/** Whether a value goes from the caller to the package, or back. */
type Direction = "input" | "output";

/**
 * Returns the names of the types that callers create: those of parameters, and what these contain. A parameter of a function that
 * callers pass goes the other way, so its type is not among them, unless something else requires it. A type that no function mentions
 * counts as created, because nothing shows that it is not; so does one with the name of options, which may be a type argument.
 */
export function typesOfInputs(declarations: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Map<string, Set<Direction>>();
  const visit = (text: string, start: Direction): void => {
    for (const { name, depth } of mentionsIn(text)) {
      const direction = depth % 2 === 0 ? start : opposite(start);
      const known = found.get(name) ?? new Set<Direction>();
      const declaration = declarations.get(name);
      if (declaration === undefined || known.has(direction)) continue;
      found.set(name, known.add(direction));
      visit(declaration, direction);
    }
  };
  const isType = (text: string) => /^(?:export |declare )*(?:interface|type) /m.test(text);
  for (const text of declarations.values()) if (!isType(text)) visit(text, "output");
  const isInput = (name: string) => /(?:Options|Init|Input)$/.test(name) || found.get(name)?.has("input") !== false;
  const inputs = [...declarations].filter(([name, text]) => isType(text) && isInput(name));
  return new Set(inputs.map(([name]) => name));
}

function opposite(direction: Direction): Direction {
  return direction === "input" ? "output" : "input";
}

/** Yields the names in a declaration, each with the number of parameter lists around it. */
function* mentionsIn(text: string): Generator<{ readonly name: string; readonly depth: number }> {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/"[^"]*"|[A-Za-z_$][\w$]*|[()]/g)) {
    if (token === "(") open.push(isParameterList(text.slice(index)) ? 1 : 0);
    else if (token === ")") open.pop();
    else if (!token.startsWith('"')) yield { name: token, depth: open.reduce((sum, each) => sum + each, 0) };
  }
}

/** Parentheses also group types: `(string | number)[]`. */
function isParameterList(text: string): boolean {
  return /^\(\s*(?:\)|\.{3}|[\w$]+\??\s*:|[{[][^)]*?[}\]]\??\s*:)/.test(text);
}
