import { expect, it } from "vitest";
import { parseEnvFile } from "./env-file.js";

it.each([
  ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["A=1\rB=2", { A: "1", B: "2" }],
  [" export A = 1 \nexport\tB=2 # b\n\n# c='\nC\n", { A: "1", B: "2" }],
  ["A=p@ss#word\nB=#1\nC= # c\nD=a b #c", { A: "p@ss#word", B: "#1", C: "", D: "a b" }],
  ["A='x # y'\nB=\"x # y\" # it's\nC=`'\"`\nD=", { A: "x # y", B: "x # y", C: "'\"", D: "" }],
  ["A='1\n2\r\n3'\nB=\"1\n2\"\nC=3", { A: "1\n2\n3", B: "1\n2", C: "3" }],
  ['A="a\\nb\\\\n\\"\\$\\x"\nB=\'a\\nb\'\nC=a\\nb', { A: 'a\nb\\n"$\\x', B: "a\\nb", C: "a\\nb" }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file contains it
  ["A=${B}$C\nB=it's\nA.b-1=x=y", { A: "${B}$C", B: "it's", "A.b-1": "x=y" }],
  ["A=1\nA=2", { A: "2" }],
])("%j is %j", (text, variables) => expect(parseEnvFile(text, "app.env")).toEqual(variables));

it.each([
  ["A=1\n\nsecret: 2", 3],
  ["A='secret\nB=2", 1],
  ["A='s'\\''ecret'", 1],
  ['A=1\nB="secret', 2],
  ["A=-----BEGIN secret-----\nAAAA\n-----END secret-----", 3],
  ["A='1\n2'\n=secret", 3],
  ["A=sec\0ret", 1],
])("of %j, line %d is refused without showing it", (text, line) => {
  const parse = () => parseEnvFile(text, "app.env");
  expect(parse).toThrow(`app.env, line ${line}, is not NAME=value.`);
  expect(parse).not.toThrow("secret");
});
