// Has a rejection that nothing handles fail the test under way: it would end a service.

/** Mocha looks at its own rejections only, and a process that has its listener does not end by itself. */
function fail(reason: unknown): never {
  throw reason;
}

/** To be called before the tests of each file, since Mocha removes the listener after each. */
export const failOnUnhandled = (): void => void process.on("unhandledRejection", fail);
