import { expect, it } from "vitest";
import { deviceName } from "./device-start.js";

it.each([
  ["platform-cli/1.4.0 (ada-laptop; linux)", "ada-laptop"],
  ["platform-cli/1.4.0 (Ada's Mac; darwin)", undefined],
  [undefined, undefined],
  ["agent/2 (<b>; linux)", undefined],
  [`agent/2 (${"a".repeat(61)})`, undefined],
])(
  "the name of a device is the start of the first comment of User-Agent (RFC 9110 section 10.1.5): %s",
  (sent, name) => {
    expect(deviceName(sent)).toBe(name);
  },
);
