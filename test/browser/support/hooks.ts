// What a suite of the browser's tests begins and ends with, and what is done after each test.
import { panel } from "./panel.js";

export const mochaHooks = {
  beforeAll: () => panel.start(),
  afterEach: () => panel.closePages(),
  afterAll: () => panel.stop(),
};
