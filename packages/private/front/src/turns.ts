import type { Socket } from "node:net";
import type { Connection } from "./connection.js";
import type { ConnectionLimits } from "./limits.js";
import type { Places } from "./places.js";
import { type TaskQueue, turnTime } from "./turn-time.js";

/** A connection, for the modules that change it. Others see it as `Connection`. */
export type OwnConnection = { -readonly [Field in keyof Connection]: Connection[Field] };

export function own(connection: Connection): OwnConnection {
  return connection;
}

/** Creates what lets the requests of each connection run one after the other. @param open the connections by their sockets */
export function createTurns(
  limits: Pick<ConnectionLimits, "connections" | "pipelinedRequests">,
  open: ReadonlyMap<object, OwnConnection>,
  places: Pick<Places, "use">,
) {
  // Running requests end before others begin. The calls of busy connections let all others pass: the first call of a connection, and
  // requests that are no calls, such as health checks.
  const running = turnTime.createQueue();
  const others = turnTime.createQueue();
  const calls = turnTime.createQueue(running);

  /**
   * Runs `turn` after all earlier responses have been sent; immediately if none is pending. Ignores it on a connection whose last
   * response is decided or waiting. Returns false when too many tasks are waiting: then respond with `takeLastTurn`.
   */
  function takeTurn(connection: Connection, turn: () => void): boolean {
    const { ending, full, waiting, delayed } = own(connection);
    if (ending || full) return true;
    // If this process delays the connection, it is not its caller's fault that many requests of one piece wait.
    const shared = delayed ? limits.connections / open.size : 0;
    if (waiting.length >= Math.max(limits.pipelinedRequests, shared)) return false;
    runInTurn(connection, turn);
    return true;
  }

  /** Runs `turn` like `takeTurn`, and ends the connection with it: later requests are ignored. The number of tasks has no limit. */
  function takeLastTurn(connection: Connection, turn: () => void): void {
    const current = own(connection);
    if (current.ending || current.full) return;
    current.full = true;
    runInTurn(connection, () => {
      current.ending = true;
      turn();
    });
  }

  function runInTurn(connection: Connection, turn: () => void): void {
    const { socket, waiting, exchange, latest, place } = connection;
    waiting.push(turn);
    if (exchange === undefined && waiting.length === 1) {
      runNext(connection);
      // A request that waits makes no room for other connections.
      if (waiting.length > 0 && place !== undefined && latest !== undefined)
        places.use(place, latest, performance.now());
      return;
    }
    // node:http resumes the socket after each parsed request and for each body that is read.
    if (socket.listenerCount("resume", pauseWhileWaiting) === 0) socket.on("resume", pauseWhileWaiting);
    socket.pause();
  }

  /** Runs the next task of a connection as soon as a turn of the event loop has time for it. */
  function runNext(connection: Connection): void {
    const { socket, waiting, latest, isNew } = own(connection);
    delay(connection, isNew || latest?.method !== "POST" ? others : calls, () => {
      // None is left if the connection was closed in the meantime.
      const turn = connection.exchange === undefined ? waiting.shift() : undefined;
      if (waiting.length === 0 && socket.isPaused()) socket.resume();
      turn?.();
    });
  }

  function delay(connection: Connection, queue: TaskQueue, task: () => void): void {
    own(connection).delayed = true;
    queue.run(() => {
      own(connection).delayed = false;
      task();
    });
  }

  function pauseWhileWaiting(this: Socket): void {
    if ((open.get(this)?.waiting.length ?? 0) > 0) this.pause();
  }

  return {
    takeTurn,
    takeLastTurn,
    runNext,
    /** Runs a part of a running request as soon as a turn of the event loop has time for it. */
    run: (connection: Connection, part: () => void): void => delay(connection, running, part),
  };
}
