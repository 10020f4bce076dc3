/** Whether a value goes from the caller to the package, or back. */
type Direction = "input" | "output";

/** The directions in which values of each declaration go, by its name. Undefined: nothing shows them. */
export type Directions = ReadonlyMap<string, ReadonlySet<Direction>>;

/**
 * Returns the directions of declarations. What is not a type is output, and what it mentions goes where its place says: a parameter of a
 * function goes the other way, and a parameter of a function that callers pass comes back. A type that no function mentions counts as
 * input, because nothing shows that it is not; so does one with the name of options, which may be a type argument.
 */
export function directionsOf(declarations: ReadonlyMap<string, string>): Directions {
  const found = new Map<string, Set<Direction>>();
  const add = (name: string, direction: Direction) =>
    void found.set(name, (found.get(name) ?? new Set<Direction>()).add(direction));
  const visit = (text: string, start: Direction): void => {
    for (const { name, depth } of mentionsIn(text)) {
      const direction = depth % 2 === 0 ? start : opposite(start);
      const declaration = declarations.get(name);
      if (declaration === undefined || found.get(name)?.has(direction)) continue;
      add(name, direction);
      visit(declaration, direction);
    }
  };
  // Callers also write what is in a command, in its environment, and in the parameters of a tool.
  const isType = (text: string) =>
    /^(?:(?:export |declare )*(?:interface|type)|command|environment of|tool) /m.test(text);
  for (const text of declarations.values()) if (!isType(text)) visit(text, "output");
  for (const [name, text] of declarations) {
    if (!isType(text)) add(name, "output");
    else if (/(?:Options|Init|Input)$/.test(name) || !found.has(name)) {
      add(name, "input");
      visit(text, "input");
    }
  }
  return found;
}

/** Reports whether callers create what is at an index of a declaration whose values go in these directions. */
export function isInputAt(text: string, index: number, directions: ReadonlySet<Direction>): boolean {
  const { depth = 0 } = [...mentionsIn(text)].find((mention) => mention.index >= index) ?? {};
  return directions.has(depth % 2 === 0 ? "input" : "output");
}

function opposite(direction: Direction): Direction {
  return direction === "input" ? "output" : "input";
}

interface Mention {
  readonly name: string;
  readonly index: number;
  /** How many parameter lists are around it. */
  readonly depth: number;
}

/** Yields the names in a declaration. */
function* mentionsIn(text: string): Generator<Mention> {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/"[^"]*"|[A-Za-z_$][\w$]*|[()]/g)) {
    if (token === "(") open.push(isParameterList(text.slice(index)) ? 1 : 0);
    else if (token === ")") open.pop();
    else yield { name: token, index, depth: open.reduce((sum, each) => sum + each, 0) };
  }
}

/** Parentheses also group types: `(string | number)[]`. */
function isParameterList(text: string): boolean {
  return /^\(\s*(?:\)|\.{3}|[\w$]+\??\s*:|[{[][^)]*?[}\]]\??\s*:)/.test(text);
}
