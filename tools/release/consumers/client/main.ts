import { type Fixture, runScenario } from "./scenario.js";

const { FIXTURE = "{}" } = process.env;
const fixture: Fixture = JSON.parse(FIXTURE);
console.log(await runScenario(fixture));
