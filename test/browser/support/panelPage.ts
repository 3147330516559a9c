// A page of the panel, and what its console complained of since it was opened.
import type { BrowserContext, Page } from "playwright-core";

export interface PanelPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(context: BrowserContext): Promise<PanelPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}
