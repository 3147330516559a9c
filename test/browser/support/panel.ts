// Runs the demo and a browser for the panel's tests; the service can be stopped and started again alone.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { z } from "zod";
import { runProgram, type RunningProgram } from "../../support/programs.js";

/** Where Debian puts it; another one can be named. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/** Generous: what is waited for comes within seconds on a machine that has nothing else to do. */
const PATIENCE_MS = 120_000;
const VIEW = { width: 1360, height: 850 };

const description = z.object({
  url: z.string(),
  admin: z.object({ username: z.string(), password: z.string() }),
});
type Description = z.infer<typeof description>;

/** A page of the panel with what its console complained of. */
export interface PanelPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

class Panel {
  #directory = "";
  #platform: RunningProgram | null = null;
  #service: RunningProgram | null = null;
  #browser: Browser | null = null;
  #description: Description | null = null;
  /** By the address of the service. */
  readonly #signedIn = new Map<string, BrowserContext>();
  readonly #strangers = new Set<BrowserContext>();

  async start(): Promise<void> {
    if (!existsSync(CHROMIUM))
      throw new Error(`There is no Chromium at ${CHROMIUM}: install it, or name it in CHROMIUM`);
    this.#directory = await mkdtemp(join(tmpdir(), "drover-panel-"));
    this.#platform = runProgram("demo/main.js", ["--only", "platform"], this.#environment("0"));
    await this.#platform.printed("platform ready");
    await this.#startService("0");
    this.#browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#service?.end();
    await this.#platform?.end();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async stopService(): Promise<void> {
    await this.#service?.end();
  }

  /** At the address where it was. */
  async startServiceAgain(): Promise<void> {
    await this.#startService(new URL(this.url).port);
  }

  get url(): string {
    return this.#known.url;
  }

  get admin(): Description["admin"] {
    return this.#known.admin;
  }

  /** A page of somebody who has not signed in, and whose browser knows nothing of anybody else's. */
  async openAsNobody(): Promise<PanelPage> {
    const context = await this.#newContext();
    this.#strangers.add(context);
    return openPage(context);
  }

  /** A page of the demo's admin, at this address of the panel. */
  async open(path: string): Promise<PanelPage> {
    return this.openAt(this.#known, path);
  }

  /**
   * A page of a service's admin. All of one service are the same person's, from test to test: what has read the panel once opens
   * it in half the time. Who signs out does so from `openAsNobody`.
   */
  async openAt({ url, admin }: Description, path: string): Promise<PanelPage> {
    const context = this.#signedIn.get(url) ?? (await this.#signIn({ url, admin }));
    const opened = await openPage(context);
    await opened.page.goto(url + path);
    return opened;
  }

  /** Of a test nothing remains but who is signed in. */
  async closePages(): Promise<void> {
    const pages = [...this.#signedIn.values()].flatMap((context) => context.pages());
    await Promise.all([...pages, ...this.#strangers].map((opened) => opened.close()));
    this.#strangers.clear();
  }

  get #known(): Description {
    if (this.#description === null) throw new Error("The panel was not started");
    return this.#description;
  }

  get #data(): string {
    return join(this.#directory, "demo");
  }

  #environment(port: string): Record<string, string> {
    return {
      DROVER_DATA: this.#data,
      PORT: port,
      LOG_LEVEL: "warn",
      DROVER_SYNC_SECONDS: "2",
      // The service is started again and again: Node.js compiles it once.
      NODE_COMPILE_CACHE: join(this.#directory, "compiled"),
    };
  }

  async #startService(port: string): Promise<void> {
    this.#service = runProgram("demo/main.js", ["--only", "service"], this.#environment(port));
    await this.#service.printed("Drover is ready");
    this.#description = description.parse(JSON.parse(await readFile(join(this.#data, "demo.json"), "utf8")));
  }

  async #signIn({ url, admin }: Description): Promise<BrowserContext> {
    const context = await this.#newContext();
    const { page } = await openPage(context);
    await page.goto(url);
    await enterCredentials(page, admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.close();
    this.#signedIn.set(url, context);
    return context;
  }

  async #newContext(): Promise<BrowserContext> {
    if (this.#browser === null) throw new Error("The panel was not started");
    const context = await this.#browser.newContext({ viewport: VIEW });
    context.setDefaultTimeout(PATIENCE_MS);
    context.setDefaultNavigationTimeout(PATIENCE_MS);
    return context;
  }
}

async function openPage(context: BrowserContext): Promise<PanelPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

/** Fills the sign-in form and sends it. */
export async function enterCredentials(page: Page, { username, password }: Description["admin"]): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the palette, until it takes what is typed. */
export async function showPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.locator("input[role=combobox][aria-label=Search]:focus").waitFor();
}

/** Chooses an option of a select by its beginning or its whole text. */
export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page
    .getByRole("combobox", { name: label })
    .or(page.getByRole("textbox", { name: label }))
    .first()
    .click();
  await page.getByRole("option", { name: option }).first().click();
}

/** Agrees in the dialog that asks, whose title must name the thing. */
export async function agree(page: Page, title: string | RegExp, verb: string | RegExp): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByRole("button", { name: verb }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** One demo and one browser for all tests of a suite. */
export const panel = new Panel();
