// What needs no more of the demo than that it is there. Runs beside `changing`, with a demo and a browser of its own.
import { loadFolder } from "./support/folder.js";

await loadFolder("looking");
