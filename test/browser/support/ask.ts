// Asks the service behind the panel directly, as a second person or a program does; a service that is busy is asked again when it says.
import assert from "node:assert/strict";
import type { BrowserContext } from "playwright-core";
import { z } from "zod";
import { signIn } from "../../../demo/graphqlClient.js";
import { panel } from "./panel.js";

/** The cookie of the session, as only the browser itself sees it. */
export async function sessionCookie(browser: BrowserContext) {
  const cookies = await browser.cookies(panel.url);
  return cookies.find(({ name }) => name === "drover_session");
}

/** Ends the session of a browser behind its back, which keeps its cookie. */
export async function endSession(browser: BrowserContext): Promise<void> {
  const held = await sessionCookie(browser);
  const response = await fetch(panel.graphql, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: `drover_session=${held?.value}` },
    body: JSON.stringify({ query: "mutation { logout }" }),
    signal: panel.over,
  });
  assert.deepEqual(await response.json(), { data: { logout: true } });
}

/** @returns a way to ask as the admin, in a session apart from the browser's; it throws the service's words when it refuses */
export async function secondPerson(): Promise<
  (query: string, variables?: Record<string, unknown>) => Promise<unknown>
> {
  const ask = await signIn({ url: panel.graphql, over: panel.over }, panel.admin);
  return (query, variables = {}) => ask(query, variables, z.unknown());
}
