import { formatTypedCode } from "../device/typed-code.js";
import { keptReview } from "./kept-review.js";
import { element } from "./page.js";

/** Shows the code of a device in two groups of four, as the device does, while it is typed or pasted. The page works without this. */
const field = element("user_code", HTMLInputElement);
field.addEventListener("input", () => {
  // Within the code, it would move what the person is changing.
  if (field.selectionStart === field.value.length) field.value = formatTypedCode(field.value);
});

// Back from a sign-in, to a code that the person has compared before, in this tab. One that was rejected is not sent again.
const isRejected = field.hasAttribute("aria-invalid");
if (!isRejected && field.value !== "" && field.value === keptReview().get("user_code")) field.form?.requestSubmit();
