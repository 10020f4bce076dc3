import { readFileSync } from "node:fs";
import { createPlatformClient } from "@platform-rpc/client";

// The files of the demo. The app writes a new request after each deletion.
const token = readFileSync("data/demo/access.token", "utf8").trim();
const request = JSON.parse(readFileSync("data/demo/delete-item.json", "utf8"));

const { PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const client = createPlatformClient({ baseUrl: PLATFORM_URL, token });
const { item, cursor } = await client.vault.deleteItem(request);
console.log(item.version, item.deleted, cursor.sequence);
