// Opens pages of the demo's panel in a browser, for the tests of a suite.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { DemoPrograms, type Description } from "./demoPrograms.js";
import { writeEvidence } from "./evidence.js";
import { openPage, type PanelPage } from "./panelPage.js";

export type { PanelPage } from "./panelPage.js";

/** Where Debian puts it; another one can be named. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/** Generous: what is waited for comes within seconds on a machine that has nothing else to do. */
const PATIENCE_MS = 120_000;
/** A net for the start of the browser. */
const LAUNCH_MS = 600_000;
const VIEW = { width: 1360, height: 850 };

type Reached = Pick<Description, "url" | "admin">;

class Panel {
  readonly #demo = new DemoPrograms();
  #browser: Browser | null = null;
  /** By the address of the service. */
  readonly #signedIn = new Map<string, BrowserContext>();
  readonly #strangers = new Set<BrowserContext>();
  /** Of the present test. */
  readonly #opened: PanelPage[] = [];

  /** @param limit aborted when the start has taken too long @throws Error that names the step, with what the programs printed */
  async start(limit: AbortSignal): Promise<void> {
    if (!existsSync(CHROMIUM))
      throw new Error(`There is no Chromium at ${CHROMIUM}: install it, or name it in CHROMIUM`);
    await this.#step("platform", limit, () => this.#demo.startPlatform());
    await this.#step("service", limit, () => this.#demo.startService());
    await this.#step("browser", limit, async () => {
      this.#browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: ["--no-sandbox"],
        timeout: LAUNCH_MS,
        // The hooks of the suite end it with all else: left to itself it ends the whole process at once.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#demo.end();
  }

  async stopService(): Promise<void> {
    await this.#demo.endService();
  }

  /** At the address where it was. */
  async startServiceAgain(): Promise<void> {
    await this.#demo.startService();
  }

  /** Starts the service again when a failed test has left it ended: the failure shall be that test's alone. */
  async serviceRuns(): Promise<void> {
    await this.#demo.serviceRuns();
  }

  get url(): string {
    return this.#demo.known.url;
  }

  get graphql(): string {
    return this.#demo.known.graphql;
  }

  get admin(): Description["admin"] {
    return this.#demo.known.admin;
  }

  /** Aborted when the service has ended. */
  get over(): AbortSignal {
    return this.#demo.over;
  }

  /** The control address of a simulated host. */
  control(name: string): string {
    const found = this.#demo.known.hosts.find((host) => host.name === name);
    if (found === undefined) throw new Error(`There is no host ${name}`);
    return found.control;
  }

  /** A page of somebody who has not signed in, and whose browser knows nothing of anybody else's. */
  async openAsNobody(): Promise<PanelPage> {
    const context = await this.#newContext();
    this.#strangers.add(context);
    return this.#openPage(context);
  }

  /** A page of the demo's admin, at this address of the panel. */
  async open(path: string): Promise<PanelPage> {
    return this.openAt(this.#demo.known, path);
  }

  /**
   * A page of a service's admin. All of one service are the same person's, from test to test: what has read the panel once opens
   * it in half the time. Who signs out does so from `openAsNobody`.
   */
  async openAt({ url, admin }: Reached, path: string): Promise<PanelPage> {
    const context = this.#signedIn.get(url) ?? (await this.#signIn({ url, admin }));
    const opened = await this.#openPage(context);
    await opened.page.goto(url + path);
    return opened;
  }

  /** Of a test nothing remains but who is signed in. */
  async closePages(): Promise<void> {
    const pages = [...this.#signedIn.values()].flatMap((context) => context.pages());
    await Promise.all([...pages, ...this.#strangers].map((opened) => opened.close()));
    this.#strangers.clear();
    this.#opened.length = 0;
  }

  /** What there is to see of the present test, which has failed. */
  async writeEvidence(title: string): Promise<void> {
    const pages = this.#opened.filter(({ page }) => !page.isClosed());
    await writeEvidence({ title, pages, logs: await this.#demo.logs() });
  }

  async #step(name: string, limit: AbortSignal, work: () => Promise<void>): Promise<void> {
    const late = once(limit, "abort").then(() => Promise.reject(new Error("it takes too long")));
    try {
      limit.throwIfAborted();
      await Promise.race([work(), late]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new Error(`The ${name} of the suite did not start: ${words}\n${this.#demo.output()}`, { cause: error });
    }
  }

  async #signIn({ url, admin }: Reached): Promise<BrowserContext> {
    const context = await this.#newContext();
    const { page } = await this.#openPage(context);
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

  async #openPage(context: BrowserContext): Promise<PanelPage> {
    const opened = await openPage(context);
    this.#opened.push(opened);
    return opened;
  }
}

/** Fills the sign-in form and sends it. */
export async function enterCredentials(page: Page, { username, password }: Description["admin"]): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the palette, whose field takes what is typed from then on. */
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
