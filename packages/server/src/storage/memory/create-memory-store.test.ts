import { describeKeyValueStore } from "../../testing/key-value-suite.js";
import { createMemoryStore } from "./create-memory-store.js";

describeKeyValueStore("in memory", async () => {
  const values = new Map<string, string>();
  return () => createMemoryStore(values);
});
