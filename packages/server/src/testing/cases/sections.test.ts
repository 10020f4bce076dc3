import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerDeviceAuthorizationCases } from "./answer-device-authorization.js";
import { deleteItemCases } from "./delete-item.js";
import { exchangeDeviceCodeCases } from "./exchange-device-code.js";
import { getItemCases } from "./get-item.js";
import { listChangesCases } from "./list-changes.js";
import { putItemCases } from "./put-item.js";
import { redeemAuthorizationCodeCases } from "./redeem-authorization-code.js";
import { redeemDeviceCodeCases } from "./redeem-device-code.js";
import { restoreItemCases } from "./restore-item.js";
import { rotateRefreshTokenCases } from "./rotate-refresh-token.js";
import { startDeviceAuthorizationCases } from "./start-device-authorization.js";

const tables = {
  answerDeviceAuthorizationCases,
  deleteItemCases,
  exchangeDeviceCodeCases,
  getItemCases,
  listChangesCases,
  putItemCases,
  redeemAuthorizationCodeCases,
  redeemDeviceCodeCases,
  restoreItemCases,
  rotateRefreshTokenCases,
  startDeviceAuthorizationCases,
};

it("checks every table", () => {
  const declared = readdirSync(import.meta.dirname).flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/^export const (\w+Cases)\b/gm)].map(
      ([, name]) => name,
    ),
  );
  expect(declared.sort()).toEqual(Object.keys(tables));
});

it.each(Object.entries(tables))("every row of %s names the section that decides it", (_, table) => {
  const section = expect.stringMatching(/^(INTERNAL, [A-Z]|(DECISIONS|SPEC|RFC \d+|OAuth 2\.1),? (section )?\d)/);
  for (const row of table) expect(row).toMatchObject({ section, title: expect.stringMatching(/\S/) });
  expect(table.length).toBeGreaterThan(0);
});
