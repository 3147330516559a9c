// Loaded into every program of the demo: ends it when the demo that started it is gone, even if the demo was killed.

process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// A program that has nothing left to do ends, whether or not the demo is there.
process.channel?.unref();
