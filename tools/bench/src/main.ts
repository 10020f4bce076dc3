import { benchDelete } from "./delete.ts";
import { benchHttp } from "./http.ts";

const benches = { http: benchHttp, delete: benchDelete };
const [name = ""] = process.argv.slice(2);

if (name === "http" || name === "delete") {
  await benches[name]();
} else {
  console.error(`pnpm bench ${Object.keys(benches).join(" | ")}`);
  process.exitCode = 2;
}
