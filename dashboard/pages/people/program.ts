// Decides what a program is called in a list of sessions, by how it names itself.
import { texts } from "../../texts/sessions.js";

/** In the order in which they are looked for: most browsers also name those that they descend from. */
const BROWSERS = {
  Edge: /\bEdg(?:e|A|iOS)?\//,
  Opera: /\bOPR\//,
  "Samsung Internet": /\bSamsungBrowser\//,
  Firefox: /\b(?:Firefox|FxiOS)\//,
  Chrome: /\b(?:(?:Headless)?Chrome|Chromium|CriOS)\//,
  Safari: /\bSafari\//,
};
/** In such an order too: phones name the systems of computers. */
const SYSTEMS = {
  iPhone: /\biPhone\b/,
  iPad: /\biPad\b/,
  Android: /\bAndroid\b/,
  Windows: /\bWindows\b/,
  ChromeOS: /\bCrOS\b/,
  macOS: /\b(?:Macintosh|Mac OS X)\b/,
  Linux: /\bLinux\b/,
};
/** A program may name itself at any length. */
const FIRST_WORD = /^[^\s/]{1,40}/;

/** `Firefox on Windows`, `curl`. @param userAgent null: the program does not name itself */
export function programOf(userAgent: string | null): string {
  const named = userAgent?.trim() ?? "";
  const browser = firstIn(BROWSERS, named);
  const system = firstIn(SYSTEMS, named);
  if (browser !== undefined && system !== undefined) return texts.programOn(browser, system);
  return browser ?? FIRST_WORD.exec(named)?.[0] ?? texts.unknownProgram;
}

const firstIn = (patterns: Readonly<Record<string, RegExp>>, named: string): string | undefined =>
  Object.entries(patterns).find(([, pattern]) => pattern.test(named))?.[0];
