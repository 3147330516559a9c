// Writes down what a failed test leaves to look at: a picture and the text of every open page, their complaints, the programs' logs.
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PanelPage } from "./panelPage.js";

/** Pictures of failures are put there. */
const FOLDER = process.env["DROVER_FAILURES"] ?? join(tmpdir(), "drover-failures");
const TOLD_CHARACTERS = 2_000;
/** A page that hangs must not hold the suite. */
const PAGE_MS = 60_000;

interface Evidence {
  readonly title: string;
  readonly pages: readonly PanelPage[];
  readonly logs: string;
}

export async function writeEvidence({ title, pages, logs }: Evidence): Promise<void> {
  const parts = [`Failed: ${title}`];
  for (const [index, opened] of pages.entries()) parts.push(await evidenceOf(opened, `${nameOf(title)}-${index + 1}`));
  process.stderr.write(`\n${[...parts, logs].join("\n")}\n\n`);
}

async function evidenceOf({ page, complaints }: PanelPage, name: string): Promise<string> {
  const path = join(FOLDER, `${name}.png`);
  await mkdir(FOLDER, { recursive: true });
  const picture = await page.screenshot({ path, timeout: PAGE_MS }).then(() => path, whyNot);
  const text = await page.locator("body").innerText({ timeout: PAGE_MS }).catch(whyNot);
  return [
    `Page ${page.url()}, picture: ${picture}`,
    `Complaints: ${complaints.length === 0 ? "none" : complaints.join("\n")}`,
    `Text:\n${text.slice(0, TOLD_CHARACTERS)}`,
  ].join("\n");
}

const whyNot = (error: unknown): string => `none: ${error instanceof Error ? error.message : String(error)}`;

const nameOf = (title: string): string =>
  `${process.pid}-${title.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 120)}`.toLowerCase();
