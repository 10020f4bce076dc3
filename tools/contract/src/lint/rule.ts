import type { Contract, Field, Message, Operation } from "../model/contract.ts";
import type { Place } from "../model/place.ts";

/** One place that breaks a rule. */
export interface Violation {
  readonly place: Place;
  /** What is wrong there. */
  readonly message: string;
}

/** A rule of our own, for what buf cannot check. */
export interface Rule {
  readonly id: string;
  /** Why the rule exists. */
  readonly purpose: string;
  /** What to do when it is broken. */
  readonly fix: string;
  /** `today` is YYYY-MM-DD. */
  check(contract: Contract, today: string): Iterable<Violation>;
}

type Words = Pick<Rule, "id" | "purpose" | "fix">;

/** Creates a rule that checks each operation. The check yields what is wrong, and its cause: an option, or a place. */
export function operationRule(
  words: Words,
  check: (
    operation: Operation,
    contract: Contract,
    today: string,
  ) => Iterable<readonly [wrong: string, cause?: string | Place | undefined]>,
): Rule {
  return {
    ...words,
    *check(contract, today) {
      for (const operation of contract.operations.values()) {
        for (const [wrong, cause = operation.place] of check(operation, contract, today)) {
          const place = typeof cause === "string" ? operation.optionPlaces[cause] : cause;
          yield { place: place ?? operation.place, message: `${operation.name} ${wrong}` };
        }
      }
    },
  };
}

/** Creates a rule that checks each field. The check yields what is wrong. */
export function fieldRule(
  words: Words,
  check: (field: Field, message: Message, contract: Contract) => Iterable<string>,
): Rule {
  return {
    ...words,
    *check(contract) {
      for (const message of contract.messages.values()) {
        for (const field of message.fields) {
          for (const wrong of check(field, message, contract)) {
            yield { place: field.place, message: `${message.name}.${field.name} ${wrong}` };
          }
        }
      }
    },
  };
}

/** Reports whether a part of the contract is in a published package. */
export function isPublished({ package: name }: { readonly package: string }, contract: Contract): boolean {
  return contract.packages.get(name)?.published ?? false;
}
