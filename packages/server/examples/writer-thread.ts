import { createThreadedSqliteStorage } from "@platform-rpc/server";

export const storage = await createThreadedSqliteStorage({ path: "platform.sqlite" });
