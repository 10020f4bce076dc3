import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createTurnTime } from "./turn-time.js";

let ran: string[] = [];

beforeEach(() => {
  ran = [];
  vi.useFakeTimers({ toFake: ["performance", "setImmediate"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Creates a task that takes some milliseconds. */
const task = (name: string, ms = 0) => {
  return () => {
    const now = performance.now() + ms;
    vi.spyOn(performance, "now").mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    ran.push(name);
  };
};

/** Ends the turn of the event loop, and returns the tasks that have run since the last one ended. */
function nextTurn(): string {
  vi.advanceTimersToNextTimer();
  return ran.splice(0).join(" ");
}

describe("the tasks of one turn of the event loop", () => {
  it("run at once until they have taken 5 ms, and the others in the next turns", () => {
    const queue = createTurnTime().createQueue();
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) queue.run(task(name, 2));
    expect(ran.splice(0).join(" ")).toBe("a b c");
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual(["d e f", "g", ""]);
  });

  it("take 0.5 ms after a connection was accepted, so that the next one is accepted soon", () => {
    const turnTime = createTurnTime();
    const queue = turnTime.createQueue();
    turnTime.accepted();
    for (const name of ["a", "b", "c"]) queue.run(task(name, 0.5));
    expect(ran.splice(0).join(" ")).toBe("a");
    turnTime.accepted();
    expect(nextTurn()).toBe("b");
    expect(nextTurn()).toBe("c");
  });

  it("are those of all queues in turn, so that a long queue does not delay the others", () => {
    const turnTime = createTurnTime();
    const [long, short] = [turnTime.createQueue(), turnTime.createQueue()];
    for (const name of ["a", "b", "c", "d", "e"]) long.run(task(name, 5));
    short.run(task("x", 5));
    expect(ran.splice(0).join(" ")).toBe("a");
    expect([nextTurn(), nextTurn()]).toEqual(["b x", "c"]);
  });

  it("let running requests end before others begin", () => {
    const turnTime = createTurnTime();
    const running = turnTime.createQueue();
    const calls = turnTime.createQueue(running);
    calls.run(task("a", 5));
    for (const name of ["b", "c"]) calls.run(task(name, 3));
    for (const name of ["x", "y", "z"]) running.run(task(name, 3));
    expect(ran.splice(0).join(" ")).toBe("a");
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual(["x y", "z b", "c"]);
  });
});
