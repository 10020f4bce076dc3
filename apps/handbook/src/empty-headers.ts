/** A part of a Markdown text, as the parser of VitePress returns it. */
interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/** Makes empty headers of tables ordinary cells, because a screen reader has nothing to say for them. */
export function emptyHeadersAsCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [content, end] = [tokens[index + 1], tokens[index + 2]];
    if (token.type === "th_open" && content?.content.trim() === "" && end !== undefined) token.tag = end.tag = "td";
  }
}
