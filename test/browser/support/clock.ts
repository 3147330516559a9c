// Stops the clock of a page, so that no limit of the panel passes while a test goes on.
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";

/** A clock stops only at a moment that is still to come; so near a one that no limit of the panel passes on the way to it. */
const AHEAD_MS = 1_000;

/** A machine that is busy may be there too late: then a later moment is taken. */
export const stopClock = (page: Page): Promise<void> =>
  eventually(async () => page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + AHEAD_MS));
