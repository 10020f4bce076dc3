import { placeOf } from "../descriptors.ts";
import { optionOf } from "../openapi/option.ts";
import { reasonValues } from "./reason-values.ts";
import type { Rule } from "./rule.ts";

export const reasonOptions: Rule = {
  id: "reason-options",
  purpose: "Every error reason says with which code and HTTP status it is answered: the server has no other table.",
  fix: "Add the option (platform.options.v1.reason) with `code` and `http_status`; a code that Connect does not know does not exist.",
  *offences({ contract }) {
    for (const value of reasonValues(contract)) {
      const { code, httpStatus } = optionOf(value, "platform.options.v1.reason", contract);
      const place = placeOf(value);
      if (code === undefined) yield { place, message: `${value.localName} has no code: set code in its option` };
      if (httpStatus === undefined) {
        yield { place, message: `${value.localName} has no HTTP status: set http_status in its option` };
      } else if (Number(httpStatus) < 400 || Number(httpStatus) > 599) {
        yield { place, message: `${value.localName} is answered with ${httpStatus}, which is no failure` };
      }
    }
  },
};
