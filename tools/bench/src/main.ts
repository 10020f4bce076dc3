import { benchClient } from "./client.ts";
import { benchDelete } from "./delete.ts";
import { benchHttp } from "./http.ts";
import { benchOracle } from "./oracle.ts";

const benches = { client: benchClient, http: benchHttp, delete: benchDelete, oracle: benchOracle };
const [name = ""] = process.argv.slice(2);

if (name === "client" || name === "http" || name === "delete" || name === "oracle") {
  await benches[name]();
} else {
  console.error(`pnpm bench ${Object.keys(benches).join(" | ")}`);
  process.exitCode = 2;
}
