import { attempt } from "../wire/read-json.js";
import { type WireReader, wireFlag, wireMessage, wireNumber, wireText } from "../wire/read-protobuf.js";
import { parseJson, type Redact } from "./redactor.js";

const readEntry = wireMessage({ 1: ["key", wireText], 2: ["value", wireText] });
const readPair: WireReader = (entry) => {
  const { key = "", value = "" } = readEntry(entry);
  return [key, value];
};
const readErrorInfo = wireMessage({ 1: ["reason", wireText], 2: ["domain", wireText], 3: ["pairs", readPair, "many"] });
const readTime = wireMessage({ 1: ["seconds", wireNumber], 2: ["nanos", wireNumber] });
const readDuration: WireReader = (duration) => {
  const { seconds = 0, nanos = 0 } = readTime(duration);
  return `${(Number(seconds) + Number(nanos) / 1e9).toFixed(9)}s`;
};
const readViolation = wireMessage({ 1: ["field", wireText], 2: ["description", wireText] });

/** The details that are read, by type. A test compares them with the descriptors of the messages. */
const readers: { readonly [type: string]: WireReader } = {
  "google.rpc.ErrorInfo": (value) => {
    const { pairs, ...info } = readErrorInfo(value);
    return { ...info, metadata: Array.isArray(pairs) ? Object.fromEntries(pairs) : {} };
  },
  "google.rpc.RetryInfo": wireMessage({ 1: ["retryDelay", readDuration] }),
  "google.rpc.BadRequest": wireMessage({ 1: ["fieldViolations", readViolation, "many"] }),
  "platform.v1.VersionConflict": wireMessage({
    1: ["itemId", wireText],
    2: ["baseVersion", wireNumber],
    3: ["currentVersion", wireNumber],
    4: ["deleted", wireFlag],
    5: ["cursor", wireMessage({ 1: ["vaultId", wireText], 2: ["sequence", wireNumber] })],
  }),
};

/**
 * Returns the JSON of a detail from its `value`, the base64 of the message with or without padding. Cleans every text in it. Returns an
 * empty object for other types, and for a value that cannot be decoded.
 */
export function decodeDetail(type: string, value: unknown, redact: Redact): object {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const decoded = attempt(() => read?.(Uint8Array.from(atob(`${value}`), (byte) => byte.charCodeAt(0))));
  return Object(decoded && parseJson(JSON.stringify(decoded), redact));
}
