import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Descriptor } from "./descriptor.js";
import { createLineWriter } from "./line-writer.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates a descriptor with room for some bytes, which fails with a code when it is full. */
function deviceWith({ room = Number.POSITIVE_INFINITY, code = "EAGAIN" } = {}) {
  const device = { text: "", room, code };
  const writeSync = (bytes: Buffer): number => {
    if (device.room === 0) throw Object.assign(new Error(device.code), { code: device.code });
    const fitting = bytes.subarray(0, Math.min(bytes.length, device.room));
    device.text += fitting.toString();
    device.room -= fitting.length;
    return fitting.length;
  };
  const descriptor: Descriptor = {
    writeSync,
    write(bytes, written) {
      try {
        written(null, writeSync(bytes));
      } catch (error) {
        written(error, 0);
      }
    },
  };
  return { device, descriptor };
}

describe("a line writer", () => {
  it("writes the lines of one turn of the event loop with one write, in order", () => {
    const { device, descriptor } = deviceWith();
    const writes = vi.spyOn(descriptor, "write");
    const writer = createLineWriter(descriptor);
    for (const line of ["a\n", "ü\n", "c\n"]) writer.write(line);
    expect(device.text).toBe("");
    vi.runAllTimers();
    expect(device.text).toBe("a\nü\nc\n");
    expect(writes).toHaveBeenCalledTimes(1);
  });

  it("keeps bytes that do not fit and continues where it stopped, so that lines stay whole", () => {
    const { device, descriptor } = deviceWith({ room: 4 });
    const writer = createLineWriter(descriptor);
    writer.write("öne\n");
    writer.write("two\n");
    vi.advanceTimersByTime(100);
    expect(device.text).toBe("öne");
    expect(writer.state()).toEqual({ droppedLines: 0, error: undefined });
    device.room = 100;
    vi.advanceTimersByTime(100);
    expect(device.text).toBe("öne\ntwo\n");
  });

  it("reports the error while writing fails, and none once writing succeeds", () => {
    const { device, descriptor } = deviceWith({ room: 0, code: "ENOSPC" });
    const writer = createLineWriter(descriptor);
    writer.write("one\n");
    vi.advanceTimersByTime(100);
    expect(writer.state()).toEqual({ droppedLines: 0, error: "ENOSPC" });
    device.room = 100;
    vi.advanceTimersByTime(100);
    expect(device.text).toBe("one\n");
    expect(writer.state()).toEqual({ droppedLines: 0, error: undefined });
  });

  it("drops and counts lines beyond its limit, and reports their number each time writing recovers", () => {
    const { device, descriptor } = deviceWith({ room: 0 });
    const writer = createLineWriter(descriptor, 8);
    const reports: number[] = [];
    writer.onRecovered((droppedLines) => reports.push(droppedLines));
    for (const line of ["one\n", "two\n", "lost\n", "lost\n"]) writer.write(line);
    vi.advanceTimersByTime(1_000);
    expect(writer.state().droppedLines).toBe(2);
    expect(reports).toEqual([]);
    device.room = 100;
    vi.advanceTimersByTime(100);
    expect(device.text).toBe("one\ntwo\n");
    writer.write("three\n");
    vi.advanceTimersByTime(100);
    device.room = 0;
    for (const line of ["four\n", "lost\n"]) writer.write(line);
    vi.advanceTimersByTime(100);
    device.room = 100;
    vi.advanceTimersByTime(100);
    expect(device.text).toBe("one\ntwo\nthree\nfour\n");
    expect(reports).toEqual([2, 1]);
    expect(writer.state().droppedLines).toBe(3);
  });

  it("writes all queued lines at exit, synchronously and in as many writes as needed", () => {
    const { device, descriptor } = deviceWith();
    const writer = createLineWriter(descriptor);
    vi.spyOn(descriptor, "writeSync").mockImplementation((bytes) => {
      device.text += bytes.subarray(0, 3).toString();
      return 3;
    });
    writer.write("fatal\n");
    writer.flushAtExit();
    expect(device.text).toBe("fatal\n");
    vi.runAllTimers();
    expect(device.text).toBe("fatal\n");
  });

  it.each(["EAGAIN", "ENOSPC", "EPIPE"])("ends its flush at exit when writing fails with %s", (code) => {
    vi.useRealTimers();
    const writer = createLineWriter(deviceWith({ room: 0, code }).descriptor);
    writer.write("fatal\n");
    writer.flushAtExit();
  });
});
