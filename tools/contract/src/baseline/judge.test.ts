import { expect, it } from "vitest";
import { compare } from "../compare/compare.ts";
import { factsOf } from "../facts/facts.ts";
import type { Contract } from "../model/contract.ts";
import {
  testContract,
  testField,
  testHeader,
  testMessage,
  testOperation,
  testPackage,
} from "../model/testing/test-contract.ts";
import { parseChangeset } from "./changesets.ts";
import { judgeChanges } from "./judge.ts";

const at = (line: number) => ({ place: { file: "proto/platform/v1/test.proto", line, column: 1 } });
const name = "platform.v1.VaultService/DeleteItem";

function contractWith({ fields = [1, 2], headers = ["X-A", "X-B"], perMinute = 2, bodyBytes = 2, operation = true }) {
  const optionPlaces = { rate: at(40).place };
  const limitPlaces = { bodyBytes: at(11).place };
  return testContract({
    packages: [
      testPackage("platform.v1", {
        ...at(10),
        limits: { bodyBytes },
        limitPlaces,
        requestHeaders: headers.map((header) => testHeader(header, at(20))),
      }),
    ],
    operations: operation ? [testOperation(name, { ...at(30), rate: { perMinute, burst: 1 }, optionPlaces })] : [],
    messages: [
      testMessage(
        "platform.v1.Item",
        fields.map((number) => testField(`f${number}`, "string", { ...at(50 + number), number })),
        at(50),
      ),
    ],
  });
}

const released: Contract = contractWith({});

it.each<[what: string, edit: Parameters<typeof contractWith>[0], line: number]>([
  ["a new field", { fields: [1, 2, 3] }, 53],
  ["a removed field, at its message", { fields: [1] }, 50],
  ["a limit, at the option", { bodyBytes: 1 }, 11],
  ["a rate, at the option", { perMinute: 1 }, 40],
  ["a removed header, at the other headers", { headers: ["X-A"] }, 20],
  ["the last header, at the package", { headers: [] }, 10],
  ["a removed operation, at its package if the service is gone too", { operation: false }, 10],
])("reports %s", (_what, edit, line) => {
  const current = contractWith(edit);
  const changes = compare({ released: factsOf(released), current: factsOf(current), today: "2027-01-01" });
  const places = judgeChanges(changes, []).map(({ place }) => place);
  expect(new Set(places)).toEqual(new Set([at(line).place]));
});

const added = { fields: [1, 2, 3] };

it.each<[text: string, edit: Parameters<typeof contractWith>[0], isAccountedFor: boolean]>([
  ["`Item.f3`", added, true],
  ["`platform.v1.Item.f3`", added, true],
  ["`OtherItem.f3`", added, false],
  ["`platform.v2.Item.f3`", added, false],
  ["`VaultService/DeleteItem`: a higher `rate.perMinute`", { perMinute: 3 }, true],
  ["`VaultService/DeleteItem`", { perMinute: 3 }, false],
  ["`platform.v1`: a higher `limits.bodyBytes`", { bodyBytes: 3 }, true],
  ["`X-C`", { headers: ["X-A", "X-B", "X-C"] }, true],
])("a changeset accounts for a change by its full name: %s", (text, edit, isAccountedFor) => {
  const changeset = parseChangeset("a.md", `---\n"@platform-rpc/types": minor\n---\n\nAdds ${text}.\n`);
  const changes = compare({
    released: factsOf(released),
    current: factsOf(contractWith(edit)),
    today: "2027-01-01",
  });
  const verdicts = judgeChanges(changes, [changeset]).map(({ verdict }) => verdict);
  expect(verdicts).toEqual([isAccountedFor ? "noted" : "fails"]);
});
