// Looks at a page in light and dark: no fault that axe finds, and a picture where one is asked for.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { picture } from "./picture.js";

const ALL_RULES: axe.RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** The schemes differ in their colours alone. */
const COLOR_RULES: axe.RunOnly = { type: "rule", values: ["color-contrast"] };

/** The panel follows the system's scheme, so that a page need not be opened twice. */
export async function inBothSchemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await settled(page);
    assert.deepEqual(await faults(page, colorScheme === "light" ? ALL_RULES : COLOR_RULES), [], colorScheme);
    await picture(page, `${name}-${colorScheme}`);
  }
}

/** Nothing is being waited for any more. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
       .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished))`,
  );
}

async function faults(page: Page, rules: axe.RunOnly): Promise<unknown[]> {
  await page.evaluate(axe.source);
  // What is in order need not be told in detail, and the frame of GraphiQL takes no messages from others.
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(document, ${JSON.stringify({ runOnly: rules, resultTypes: ["violations"], iframes: false })})`,
  );
  return violations.map(({ id, nodes }) => ({
    id,
    where: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  }));
}
