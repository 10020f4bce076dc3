// What needs no module of Node: for code that also runs at the edge.
export { createSpread } from "./spread.js";
export { longestTimerMs } from "./timer.js";
export { faultOf } from "./well-formed.js";
