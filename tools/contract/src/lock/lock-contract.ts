import type { FileRegistry } from "@bufbuild/protobuf";
import { isPublished, messagesOf, methodsOf, operationName, ownFiles, requestMessages } from "../descriptors.ts";
import { publicReasons, reasonValues } from "../rules/reason-values.ts";
import type { Sources } from "../sources.ts";
import { contractHeaders } from "./headers.ts";
import { lockLimits } from "./limits.ts";
import { lockMessage } from "./messages.ts";
import { lockOperation } from "./operations.ts";
import { lockReason } from "./reasons.ts";
import type { Lock } from "./schema.ts";
import { sorted } from "./sorted.ts";

/** What descriptors alone say of the public contract. Private operations are not in it: nobody was promised them. */
export function lockDescriptors(contract: FileRegistry): Pick<Lock, "operations" | "messages" | "reasons"> {
  const files = ownFiles(contract).filter(isPublished);
  const methods = methodsOf(files);
  const sent = requestMessages(methods);
  const operations = sorted(methods.map((method) => [operationName(method), lockOperation(method, contract)]));
  const messages = messagesOf(files).map(
    (message) => [message.typeName, lockMessage(message, sent.has(message), contract)] as const,
  );
  const reasons = reasonValues(contract, [publicReasons]).map(
    (value) => [value.localName, lockReason(value, operations, contract)] as const,
  );
  return { operations, messages: sorted(messages), reasons: sorted(reasons) };
}

/** All that callers of the public contract rely on. */
export function lockContract(contract: FileRegistry, sources: Sources): Lock {
  return { format: 1, ...lockDescriptors(contract), limits: lockLimits(sources), headers: contractHeaders() };
}
