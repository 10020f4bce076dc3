const separator = /(?: *[/.–-] *| +)/.source;
const year = /(?<year>(?:19|20)\d\d)/.source;
const shortYear = /(?<year>(?:(?:19|20)?\d\d))/.source;

const forms = [
  new RegExp(`^(?<month>\\d\\d?)${separator}${shortYear}$`),
  new RegExp(`^${year}${separator}(?<month>\\d\\d?)$`),
  // Without a separator: a year never looks like a month.
  new RegExp(`^(?<month>\\d\\d)${shortYear}$`),
  new RegExp(`^${year}(?<month>\\d\\d)$`),
];

/**
 * Reads the month until which a card is valid, as cards, shops and programs write it: `06/31`, `6/2031`, `2031-06`, `06 2031`. Returns it as
 * it is stored: `2031-06`. Undefined: the text is something else. A year of two digits is one of this century.
 */
export function readMonth(text: string): string | undefined {
  const read = text.replaceAll(/\s/g, " ").trim();
  for (const form of forms) {
    const { year = "", month = "" } = form.exec(read)?.groups ?? {};
    if (Number(month) >= 1 && Number(month) <= 12) return `${year.padStart(4, "20")}-${month.padStart(2, "0")}`;
  }
  return undefined;
}
