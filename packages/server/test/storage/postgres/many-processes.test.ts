import { describeManyProcesses } from "./testing/describe-many-processes.js";

describeManyProcesses();
