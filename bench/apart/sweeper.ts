// Removes the database of a benchmark's process when whoever started both says so or is gone; in a session of its own, so that what ends those does not end it.
import { removeBenchDatabase } from "../database.js";
import { whenStarterIsGone } from "../starter.js";

const [pid = ""] = process.argv.slice(2);
whenStarterIsGone(() => void removeBenchDatabase(Number(pid)));
