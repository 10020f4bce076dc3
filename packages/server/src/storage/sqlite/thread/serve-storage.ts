import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { AnyRule } from "../../../domain/rule.js";
import { openSqliteStorage, type SqliteStorage } from "../create-sqlite-storage.js";
import { toErrorData } from "./error-data.js";
import { openingId, type ReceivedCalls, type SentAnswer, type StorageThreadData } from "./messages.js";

/**
 * Serves a storage to the thread that started this one, with a `StorageThreadData` as its data. The thread ends when the
 * storage is closed.
 *
 * @param rules the rules that calls may name.
 * @throws TypeError in the main thread.
 */
export function serveStorage(rules: readonly AnyRule[]): void {
  if (parentPort === null) throw new TypeError("serveStorage was called in the main thread. Start it as a worker.");
  const port = parentPort;
  const answer = createAnswers(port);
  const { options, figures }: StorageThreadData = workerData;
  try {
    servePort(port, openSqliteStorage(options, figures), new Map(rules.map((rule) => [rule.name, rule])));
    answer({ id: openingId, value: undefined });
  } catch (error) {
    // The port has no listener, so the thread ends.
    answer({ id: openingId, error: toErrorData(error) });
  }
}

function servePort(port: MessagePort, storage: SqliteStorage, rules: ReadonlyMap<string, AnyRule>): void {
  const answer = createAnswers(port);
  const perform = createPerform(storage, rules);
  port.on("message", (calls: ReceivedCalls) => {
    for (const { id, call } of calls) {
      perform(id, call).then(
        (value) => answer({ id, value }),
        (error: unknown) => answer({ id, error: toErrorData(error) }),
      );
      // The thread ends when no work is left.
      if (call.method === "close") port.unref();
    }
  });
}

function createPerform(storage: SqliteStorage, rules: ReadonlyMap<string, AnyRule>) {
  const aborts = new Map<number, AbortController>();

  const ruleNamed = (name: string): AnyRule => {
    const rule = rules.get(name);
    if (rule === undefined) {
      throw new TypeError(
        `the storage's thread does not contain the rule ${name}. It contains the rules of this package; ` +
          "for a rule of your own, use createSqliteStorage.",
      );
    }
    return rule;
  };

  return async (id: number, call: ReceivedCalls[number]["call"]): Promise<unknown> => {
    switch (call.method) {
      case "transact":
        return storage.transact(call.ref, ruleNamed(call.rule)(...call.args));
      case "readRecords":
        return storage.readRecords(call.keys);
      case "listChanges":
        return storage.listChanges(call.query);
      case "listVaults":
        return storage.listVaults(call.query);
      case "listShreddable":
        return storage.listShreddable(call.now, call.limit);
      case "listRecords":
        return storage.listRecords(call.query);
      case "purge":
        return storage.purge(call.expiredBefore, call.limit);
      case "sealAudit":
        return storage.sealAudit(call.limit);
      case "readBacklog":
        return storage.readBacklog();
      case "readAudit":
        return storage.readAudit(call.position, call.limit);
      case "listAudit":
        return storage.listAudit(call.query);
      case "check":
        return storage.check();
      case "verify":
        return storage.verify();
      case "close":
        return storage.close();
      case "readHistory":
        return storage.readHistory(call.known);
      case "backUp": {
        const abort = new AbortController();
        aborts.set(id, abort);
        return storage.backUp(call.path, abort.signal).finally(() => aborts.delete(id));
      }
      case "abort":
        return aborts.get(call.id)?.abort();
    }
  };
}

/** Creates a function that sends answers. Those of one commit are sent together. */
function createAnswers(port: MessagePort): (answer: SentAnswer) => void {
  let answers: SentAnswer[] = [];

  const send = () => {
    const sent = answers;
    answers = [];
    try {
      port.postMessage(sent);
    } catch {
      // A value cannot be copied. The other calls of the commit get their answers.
      for (const each of sent) sendAlone(each);
    }
  };
  const sendAlone = (answer: SentAnswer) => {
    try {
      port.postMessage([answer]);
    } catch (error) {
      port.postMessage([{ id: answer.id, error: toErrorData(error) }]);
    }
  };

  return (answer) => {
    // The promises of one commit are resolved together, so their reactions run before this microtask.
    if (answers.length === 0) queueMicrotask(send);
    answers.push(answer);
  };
}
