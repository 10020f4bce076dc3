import type { MessagePort } from "node:worker_threads";
import type { Message } from "@bufbuild/protobuf";
import type { AcknowledgedChange, Document } from "@platform-rpc/server";
import type { ThreadMemory } from "../metrics/thread-figures.js";
import type { Settings } from "../settings/settings.js";

export interface HttpThreadData {
  readonly settings: Settings;
  /** The port of the public listener, which is free. */
  readonly port: number;
  /** The maximum number of simultaneous connections of this thread. */
  readonly connections: number;
  /** The connection to the storage. Undefined if the thread opens its own, on PostgreSQL. */
  readonly storage: MessagePort | undefined;
  /** The memory of the rate limiter that the threads share; undefined without rate limits. */
  readonly rates: SharedArrayBuffer | undefined;
  /** The time of the main thread's clock. The thread's clock never shows an earlier time. */
  readonly now: number;
  readonly readiness: Document;
  readonly metrics: ThreadMemory;
}

export type ToHttpThread =
  /** Readiness has changed. */
  | { readonly kind: "readiness"; readonly document: Document }
  /** An administrator trusts the wall clock. */
  | { readonly kind: "follow clock" }
  /** The main thread has finished its work after a call. */
  | { readonly kind: "after call"; readonly id: number }
  /** Close each connection after its next response. */
  | { readonly kind: "leave" }
  /** Close the listener gracefully, then end. */
  | { readonly kind: "close" };

export type FromHttpThread =
  | { readonly kind: "listening" }
  /** The newest changes that the thread's own storage has acknowledged. */
  | { readonly kind: "changes"; readonly changes: readonly AcknowledgedChange[] }
  | { readonly kind: "log"; readonly lines: readonly string[] }
  /** A call is complete; its response waits for the answer to this message. Sent only if the demo is on. */
  | { readonly kind: "after call"; readonly id: number; readonly request: Message };
