import type { Contract, Message } from "../../model/contract.ts";
import type { PublishedApi } from "../published-api.ts";
import { clientServices, notice } from "./source.ts";

/** The constants of each operation that both entries of the client need. */
export function renderOperations(api: PublishedApi): string {
  const operations = clientServices(api).flatMap((service) => service.operations);
  const constants = operations.map(({ operation, method, input }) => {
    const { messages } = api.contract;
    const constant = {
      path: operation.name,
      retrySafety: operation.retrySafety,
      fields: [...new Set(fieldNames(messages.get(operation.request), messages))],
      required: input.filter((each) => each.required).map(({ field }) => field.jsonName),
      secrets: input.filter(({ field }) => field.secret).map(({ field }) => field.jsonName),
    };
    return `export const ${method}Operation: Operation = ${JSON.stringify(constant)};\n\n`;
  });
  const names = operations.map(({ method }) => `${method}Operation`);
  return (
    `${notice}import type { Operation } from "../contract.js";\n\n${constants.join("")}` +
    `export const operations: readonly Operation[] = [${names.join(", ")}];\n`
  );
}

/** The JSON names of a message's fields and, at every depth, of the messages that it contains. */
function fieldNames(
  message: Message | undefined,
  messages: Contract["messages"],
  seen: readonly string[] = [],
): readonly string[] {
  if (message === undefined || seen.includes(message.name)) return [];
  return message.fields.flatMap(({ jsonName, type }) => [
    jsonName,
    ...fieldNames(messages.get(type.name), messages, [...seen, message.name]),
  ]);
}
