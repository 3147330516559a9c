// Tells a process that whoever started it is gone, also when that was so before it could listen.

/** Calls once, when the process that forked this one has ended or let go of it. */
export function whenStarterIsGone(act: () => void): void {
  if (process.connected) process.once("disconnect", act);
  else act();
}
