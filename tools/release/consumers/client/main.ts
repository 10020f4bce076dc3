import { type Scene, tellStory } from "./story.js";

const { SCENE = "{}" } = process.env;
const scene: Scene = JSON.parse(SCENE);
console.log(await tellStory(scene));
