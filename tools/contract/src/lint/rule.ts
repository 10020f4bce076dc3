import type { Contract, Field, Message, OptionPlaces } from "../model/contract.ts";
import type { Place } from "../model/finding.ts";

interface Violation {
  readonly place: Place;
  readonly message: string;
}

interface Words {
  readonly id: string;
  readonly purpose: string;
  readonly fix: string;
}

/** A rule of our own, for what buf cannot check. */
export interface Rule extends Words {
  /** `today` is YYYY-MM-DD. */
  check(contract: Contract, today: string): Iterable<Violation>;
}

interface Part {
  readonly name: string;
  readonly place: Place;
  readonly optionPlaces?: OptionPlaces;
}

/** Yields what is wrong with a part, if need be with the cause: a part of an option, or a place. */
type Check<Checked extends Part> = (
  part: Checked,
  contract: Contract,
  today: string,
) => Iterable<string | readonly [wrong: string, cause: string | Place | undefined]>;

/** Returns a function that creates rules, each of which checks the same parts of a contract. */
export function rulesOver<Checked extends Part>(
  partsOf: (contract: Contract) => Iterable<Checked>,
  nameOf: (part: Checked) => string = ({ name }) => name,
) {
  return (words: Words, check: Check<Checked>): Rule => ({
    ...words,
    *check(contract, today) {
      for (const part of partsOf(contract)) {
        for (const found of check(part, contract, today)) {
          const [wrong, cause] = typeof found === "string" ? [found] : found;
          const place = typeof cause === "string" ? part.optionPlaces?.[cause] : cause;
          yield { place: place ?? part.place, message: `${nameOf(part)} ${wrong}` };
        }
      }
    },
  });
}

export const operationRule = rulesOver(({ operations }) => operations.values());
export const packageRule = rulesOver(({ packages }) => packages.values());
export const fieldRule = rulesOver(
  ({ messages }) => [...messages.values()].flatMap(fieldsOf),
  ({ message, name }) => `${message.name}.${name}`,
);

function fieldsOf(message: Message): readonly (Field & { readonly message: Message })[] {
  return message.fields.map((field) => ({ ...field, message }));
}

export function isPublished({ package: name }: { readonly package: string }, contract: Contract): boolean {
  return contract.packages.get(name)?.published ?? false;
}
