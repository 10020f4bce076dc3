import { expect, it } from "vitest";
import { browserName } from "./browser-name.js";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/120.0", "Edge on Windows"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1", "Safari on iOS"],
  ["Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36", "Chrome on Android"],
  ["curl/8.0", "A browser on an unknown system"],
  [undefined, "A browser on an unknown system"],
])("%j is shown as %s", (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
