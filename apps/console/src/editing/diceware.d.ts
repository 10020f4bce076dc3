/** The package declares the types of its index only, which contains its large list of passwords, too. */
declare module "@zxcvbn-ts/language-common/dist/diceware.json.mjs" {
  const words: readonly string[];
  export = words;
}
