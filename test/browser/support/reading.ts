// Holds the next reading of a page back, so that a test decides how long it takes.
import type { Page } from "playwright-core";
import { z } from "zod";

const operation = z.object({ operationName: z.string() });

export interface HeldReading {
  /** The page has asked. */
  readonly asked: Promise<void>;
  /** The service's answer goes to the page. */
  readonly release: () => void;
}

/** @param name of the operation that is held, once */
export async function holdReading(page: Page, name: string): Promise<HeldReading> {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route("**/graphql", async (route) => {
    const { data } = operation.safeParse(route.request().postDataJSON());
    if (isHeld || data?.operationName !== name) return route.fallback();
    isHeld = true;
    asked.resolve();
    await released.promise;
    return route.continue();
  });
  return { asked: asked.promise, release: () => released.resolve() };
}
