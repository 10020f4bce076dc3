// The packages declare the types of their indexes only. These contain large lists, too.

declare module "@zxcvbn-ts/language-common/dist/diceware.json.mjs" {
  const words: string[];
  export = words;
}
declare module "@zxcvbn-ts/language-common/dist/passwords.json.mjs" {
  const passwords: string[];
  export = passwords;
}
declare module "@zxcvbn-ts/language-en/dist/firstnames.json.mjs" {
  const firstNames: string[];
  export = firstNames;
}
declare module "@zxcvbn-ts/language-en/dist/wordSequences.json.mjs" {
  const sequences: Readonly<Record<string, string[]>>;
  export = sequences;
}
