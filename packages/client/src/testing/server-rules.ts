// The rules of the platform, which the fake platform applies. They are pure functions without imports from elsewhere: the entry
// `testing` contains a copy of them, and a program that uses the client does not need the server.
export { decideDeleteItem } from "../../../server/src/domain/delete-item.js";
export { decidePutItem } from "../../../server/src/domain/put-item.js";
export { createMemoryVaults } from "../../../server/src/testing/memory-vaults.js";
