export const notFoundMessage = {
  title: "Page not found",
  text: "The documentation has no page at this address. The page may have moved, or the link may be wrong.",
};

/** Returns the message as plain text, for programs and for readers of the Markdown copies. */
export function notFoundText(base: string): string {
  return `${notFoundMessage.title}. ${notFoundMessage.text}

Start: ${base}index.md
List of all pages: ${base}llms.txt
All pages in one file, for a search: ${base}llms-full.txt
Errors: ${base}errors.md
`;
}
