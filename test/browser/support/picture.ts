// Takes pictures of the panel for the documentation, when they are asked for.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Set: pictures are put there. */
const FOLDER = process.env["DROVER_SCREENSHOTS"];

export async function picture(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
