// Records the notices of a page, which close after a few seconds, so that a test also finds those that have closed already.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";

/** Generous: it ends only a test that fails. */
const PATIENCE_MS = 120_000;
const RECORD = "recordNotice";
/** Every notice counts once, from the moment in which it is on the page. */
const OBSERVE = `{
  const known = new WeakSet();
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll(".mantine-Notification-description")) {
      if (known.has(notice)) continue;
      known.add(notice);
      const button = notice.closest(".mantine-Notification-root")?.querySelector("button");
      window.${RECORD}(notice.textContent, button?.getAttribute("aria-label") ?? null);
    }
  }).observe(document, { childList: true, subtree: true });
}`;

/**
 * Begins to record, before the act that leads to a notice; once for each page, which may go to other addresses.
 * @returns a wait for a notice with this text, whose button says that it closes it; each notice is found once
 */
export async function recordNotices(page: Page): Promise<(text: string) => Promise<void>> {
  const shown: { text: string; button: string | null }[] = [];
  await page.exposeFunction(RECORD, (text: string, button: string | null) => void shown.push({ text, button }));
  await page.addInitScript(OBSERVE);
  await page.evaluate(OBSERVE);
  return (text) =>
    eventually(async () => {
      const place = shown.findIndex((notice) => notice.text === text);
      assert.notEqual(place, -1, `"${text}" is not among the notices: ${JSON.stringify(shown)}`);
      const [notice] = shown.splice(place, 1);
      assert.equal(notice?.button, "Close");
    }, PATIENCE_MS);
}
