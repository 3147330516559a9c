// What moves and empties in the demo, one after the other, and then every page with what came of it. Runs beside `looking`.
import { loadFolder } from "./support/folder.js";

await loadFolder("changing");
