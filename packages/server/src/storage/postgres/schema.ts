import { audit } from "./schema/audit.js";
import { commit } from "./schema/commit.js";
import { history } from "./schema/history.js";
import { jobs } from "./schema/jobs.js";
import { load } from "./schema/load.js";
import { processes } from "./schema/processes.js";
import { queries } from "./schema/queries.js";
import { tables } from "./schema/tables.js";
import { tenants } from "./schema/tenants.js";

/** Creates the tables and functions of an empty database. */
export const schema: string = [tables, load, commit, queries, processes, audit, history, jobs, tenants].join("");
