export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  /** The text directly inside of the element. */
  text: string;
}

/** Elements inside of each other. Without this limit, reading them could exceed the stack. */
const mostDepth = 200;

/** Comment or declaration, CDATA, tag, or text. A document type does not match. */
const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\p{L}_][\p{L}\d_.:-]*)((?:\s+[\p{L}_][\p{L}\d_.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/uy;

/**
 * Reads a strict part of XML: elements, attributes, text, CDATA, and the five predefined entities. A document type, and with it every other
 * entity, is an error: no small document expands to a large one. Workers have no DOMParser. Returns undefined for anything else.
 */
export function readXml(text: string): XmlElement | undefined {
  const root: XmlElement = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  let isValid = true;
  const decode = (raw: string) => {
    isValid &&= !unknownEntity.test(raw);
    return isValid ? raw.replaceAll(/&([^;]*);/g, (_, name: string) => characterOf(name)) : "";
  };
  let at = 0;
  while (isValid && at < text.length) {
    token.lastIndex = at;
    const match = token.exec(text);
    const parent = open.at(-1);
    if (match === null || parent === undefined || open.length > mostDepth) return undefined;
    at = token.lastIndex;
    const [, cdata, closing, name, attributes = "", empty, characters = ""] = match;
    if (name === undefined) parent.text += cdata ?? decode(characters);
    else if (closing === "/") isValid &&= open.pop()?.name === name && attributes === "" && empty === "";
    else {
      const element: XmlElement = { name, attributes: attributesIn(attributes, decode), children: [], text: "" };
      parent.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  const [document] = root.children;
  return isValid && open.length === 1 && root.children.length === 1 && root.text.trim() === "" ? document : undefined;
}

const noAttributes: XmlElement["attributes"] = new Map();

function attributesIn(text: string, decode: (raw: string) => string): XmlElement["attributes"] {
  if (text === "") return noAttributes;
  const pairs = text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return new Map([...pairs].map(([, name = "", double, single]) => [name, decode(double ?? single ?? "")] as const));
}

const unknownEntity = /&(?!(?:lt|gt|amp|quot|apos|#x(?:10|[\da-fA-F])?[\da-fA-F]{1,4}|#(?:10\d{5}|\d{1,6}));)/;

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function characterOf(name: string): string {
  return entities.get(name) ?? String.fromCodePoint(Number(name.replace("#", name.startsWith("#x") ? "0" : "")));
}
