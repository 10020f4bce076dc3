import { serveTarget } from "../load/serve-target.ts";
import { clients, isClientName } from "./clients.ts";

const [name = "", baseUrl = "", calls, concurrency] = process.argv.slice(2);
if (!isClientName(name)) throw new Error(`There is no client with the name "${name}".`);
const call = clients[name].create(baseUrl);
await requireItem();
serveTarget(0, "", { measure });

/** Makes the calls of one round, a number of them at a time. Returns the milliseconds that they took. */
async function measure(): Promise<number> {
  const startedAt = performance.now();
  let begun = 0;
  const keepCalling = async () => {
    while (begun++ < Number(calls)) await call();
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, keepCalling));
  return performance.now() - startedAt;
}

async function requireItem(): Promise<void> {
  const { item } = JSON.parse(JSON.stringify(await call(), (_, value) => (typeof value === "bigint" ? 0 : value)));
  if (item?.encryptedPayload?.ciphertext?.length !== 384)
    throw new Error(`${name} returns another item than the server sends.`);
}
