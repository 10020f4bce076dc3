import type { PublishedApi } from "../published-api.ts";
import { clientServices, notice } from "./source.ts";

/** The constants of each operation that both entries of the client need. */
export function renderOperations(api: PublishedApi): string {
  const constants = clientServices(api)
    .flatMap(({ operations }) => operations)
    .map(({ operation, method, input }) => {
      const fields = input.map(({ field }) => field.jsonName);
      const required = input.filter((each) => each.required).map(({ field }) => field.jsonName);
      const secrets = input.filter(({ field }) => field.secret).map(({ field }) => field.jsonName);
      const constant = {
        path: operation.name,
        keyed: operation.retrySafety === "with_key",
        fields,
        required,
        secrets,
      };
      return `export const ${method}Operation: Operation = ${JSON.stringify(constant)};\n`;
    });
  return `${notice}import type { Operation } from "../contract.js";\n\n${constants.join("\n")}`;
}
