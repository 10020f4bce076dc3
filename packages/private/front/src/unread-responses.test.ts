import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createUnreadResponses } from "./unread-responses.js";

describe("DECISIONS section 9: what waits to be written is bounded for the process", () => {
  it("over the maximum, ends the callers that have read nothing for longest, and no others", () => {
    const unread = createUnreadResponses(100);
    const [progressing, slowest, slow, gone, newest] = Array.from({ length: 5 }, () => new Socket());
    if (!progressing || !slowest || !slow || !gone || !newest) throw new TypeError("five sockets");
    for (const socket of [progressing, slowest, slow, gone]) unread.add(socket, 25);
    unread.progressed(progressing);
    unread.remove(gone);
    unread.add(newest, 50);
    expect([progressing, slowest, slow, newest].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    unread.add(newest, 76);
    expect([progressing, slow, newest].map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
  });

  it("counts only the last response of a connection, and never ends a caller for a response that is alone too large", () => {
    const unread = createUnreadResponses(100);
    const [one, other] = [new Socket(), new Socket()];
    for (let response = 0; response < 10; response += 1) unread.add(one, 60);
    unread.add(other, 40);
    expect(one.destroyed).toBe(false);
    unread.remove(one);
    unread.add(other, 101);
    expect(other.destroyed).toBe(false);
  });
});
