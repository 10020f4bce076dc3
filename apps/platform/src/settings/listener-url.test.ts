import { expect, it } from "vitest";
import { accountsUrls, sharesHostName, sharesLocalhost } from "./listener-url.js";
import { readSettings } from "./settings.js";

it.each([
  [{}, "http://accounts.localhost:8082", "http://127.0.0.1:8082"],
  [{ ACCOUNTS_HOST: "0.0.0.0" }, "http://accounts.localhost:8082", "http://127.0.0.1:8082"],
  [{ ACCOUNTS_HOST: "::1" }, "http://accounts.localhost:8082", "http://[::1]:8082"],
  [{ ACCOUNTS_HOST: "192.0.2.1" }, "http://192.0.2.1:8082", "http://192.0.2.1:8082"],
  [{ ACCOUNTS_URL: "http://accounts.localhost:9000" }, "http://accounts.localhost:9000", "http://127.0.0.1:9000"],
  [{ ACCOUNTS_URL: "http://localhost:9000" }, "http://localhost:9000", "http://localhost:9000"],
  [{ ACCOUNTS_URL: "https://accounts.localhost" }, "https://accounts.localhost", "https://accounts.localhost"],
  [{ ACCOUNTS_URL: "https://accounts.example" }, "https://accounts.example", "https://accounts.example"],
])("with %j, browsers find the pages at %s, and programs what they call at %s", (environment, origin, issuer) => {
  const settings = readSettings({ ACCOUNTS_TENANT: "acme", ...environment });
  expect(accountsUrls(settings, settings.accountsPort)).toEqual({ origin, issuer });
});

it.each([
  ["https://platform.example", "https://platform.example:8443", true],
  ["https://accounts.example", "https://api.example", false],
  [undefined, "https://api.example", false],
])("the pages at %s share their cookies with the API at %s: %s", (accountsUrl, publicUrl, expected) => {
  expect(sharesHostName({ accountsUrl, publicUrl })).toBe(expected);
});

it.each([
  ["http://localhost:8082", true],
  ["http://accounts.localhost:8082", false],
  ["https://accounts.example", false],
  [undefined, false],
])("the pages at %s have a name that other programs of the machine have: %s", (accountsUrl, expected) => {
  expect(sharesLocalhost({ accountsUrl })).toBe(expected);
});
