import { formatTypedCode } from "../device/typed-code.js";
import { element } from "./page.js";

/** Shows the code of a device in two groups of four, as the device does, while it is typed or pasted. The page works without this. */
const field = element("user_code", HTMLInputElement);
field.addEventListener("input", () => {
  // Within the code, it would move what the person is changing.
  if (field.selectionStart === field.value.length) field.value = formatTypedCode(field.value);
});
