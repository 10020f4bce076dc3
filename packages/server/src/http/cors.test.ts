import { describe, expect, it } from "vitest";
import { createCors } from "./cors.js";

describe("corsOrigins must be written as browsers send them", () => {
  it.each([
    "*",
    "http://localhost:3000/",
    "https://app.example.com/path",
    "https://APP.example.com",
    "app.example.com",
  ])("rejects %s", (origin) => {
    expect(() => createCors(["https://a.example.com", origin])).toThrow(`corsOrigins: ${origin} is not an origin. `);
  });

  it.each(["https://app.example.com", "http://localhost:3000", "http://[::1]:8080", "capacitor://localhost"])(
    "accepts %s",
    (origin) => {
      expect(() => createCors([origin])).not.toThrow();
    },
  );
});
