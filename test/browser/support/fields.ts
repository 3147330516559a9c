// Waits for what a field holds: a value is set a moment after the act that sets it.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { eventually } from "../../support/eventually.js";

export const hasValue = (field: Locator, value: string): Promise<void> =>
  eventually(async () => assert.equal(await field.inputValue(), value));
