import { expect, it } from "vitest";
import { readAnswer } from "./connection.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Length: 5";

it("the size of a response is that of its head and its body", () => {
  expect(readAnswer(Buffer.from(`${head}\r\n\r\n{"ä`))).toEqual({ head, size: head.length + 4 + 5 });
});

it("a response without a complete head is incomplete", () => {
  expect(readAnswer(Buffer.from(`${head}\r\n`))).toBeUndefined();
});

it("a response without Content-Length is an error, because its end is unknown", () => {
  expect(() => readAnswer(Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))).toThrow(
    /Content-Length/,
  );
});
