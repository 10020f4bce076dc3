import type { FileRegistry } from "@bufbuild/protobuf";
import { placeOf } from "../descriptors.ts";
import { placeIn, startOf } from "../finding.ts";
import { sourceAt } from "../sources.ts";
import { internalReasons, publicReasons, reasonValues } from "./reason-values.ts";
import type { Offence, Rule } from "./rule.ts";

/** The sentences that go with the reasons: a key for each. */
const sentences: Readonly<Record<string, string>> = {
  "packages/server/src/rpc/messages.ts": publicReasons,
  "apps/reference/src/rpc/reasons.ts": internalReasons,
};

/** Refusals of the domain that no caller is ever told: each is answered as INVALID_FIELD, or tried again. */
const inner: ReadonlySet<string> = new Set(["POP_KEY_INVALID", "SCOPES_NOT_REQUESTED", "USER_CODE_TAKEN"]);

const literal = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g;
/** `rpcError("A")`, `internalRpcError("A")`, and `reason: "A" | "B"`. */
const refusal =
  /(?:\b(?:rpcError|internalRpcError)\(\s*|\breason:\s*)("[A-Z][A-Z0-9_]*"(?:\s*\|\s*"[A-Z][A-Z0-9_]*")*)/g;

export const unknownReasons: Rule = {
  id: "server-reasons",
  purpose: "The programs refuse with reasons of the contract only: another one would be a surprise to every caller.",
  fix: "Add the reason to the enum, with its option, or use one that is there.",
  *offences({ contract, sources }) {
    const known = new Set([...reasonValues(contract).map((value) => value.localName), ...inner]);
    for (const [path, text] of sources) {
      for (const match of text.matchAll(refusal)) {
        const [whole, list = ""] = match;
        const start = match.index + whole.length - list.length;
        for (const { 1: name = "", index } of list.matchAll(literal)) {
          if (known.has(name)) continue;
          yield {
            place: placeIn(path, text, start + index),
            message: `refuses with ${name}, which is in no enum of reasons`,
          };
        }
      }
    }
  },
};

export const unusedReasons: Rule = {
  id: "unused-reasons",
  purpose: "Every reason of the contract can happen: callers write code for each of them.",
  fix: "Use the reason where it belongs. A reason that was released stays; one that was not may go.",
  *offences({ contract, sources }) {
    const used = new Set(
      [...sources]
        .filter(([path]) => !(path in sentences))
        .flatMap(([, text]) => [...text.matchAll(literal)].map(([, name]) => name)),
    );
    for (const value of reasonValues(contract)) {
      if (used.has(value.localName)) continue;
      yield { place: placeOf(value), message: `${value.localName} is in the contract, but no program refuses with it` };
    }
  },
};

export const reasonSentences: Rule = {
  id: "reason-sentences",
  purpose: "Every reason has a sentence that tells a person what happened and what to do next.",
  fix: "Add the sentence to packages/server/src/rpc/messages.ts or apps/reference/src/rpc/reasons.ts, or remove what is left over.",
  *offences({ contract, sources }) {
    for (const [path, enumName] of Object.entries(sentences)) {
      yield* sentenceOffences(path, sourceAt(sources, path), enumName, contract);
    }
  },
};

function* sentenceOffences(path: string, text: string, enumName: string, contract: FileRegistry): Generator<Offence> {
  const named = new Map(
    [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(({ 1: name = "", index }) => [name, index]),
  );
  const reasons = reasonValues(contract, [enumName]).map((value) => value.localName);
  for (const reason of reasons) {
    if (!named.has(reason)) yield { place: startOf(path), message: `has no sentence for ${reason} of ${enumName}` };
  }
  for (const [name, index] of named) {
    if (reasons.includes(name)) continue;
    yield { place: placeIn(path, text, index + 2), message: `has a sentence for ${name}, which is not in ${enumName}` };
  }
}
