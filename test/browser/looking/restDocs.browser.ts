// The page of REST v1 is shown in light and dark, with what the service itself serves.
import assert from "node:assert/strict";
import { panel } from "../support/panel.js";

describe("the page of REST v1", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    it(`shows the endpoints in ${colorScheme}, without a complaint of its content policy or a request to elsewhere`, async () => {
      const { page, complaints } = await panel.openAsNobody();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.emulateMedia({ colorScheme });
      await page.goto(`${panel.url}/api/v1/docs`);
      await page.getByRole("heading", { level: 1, name: "Drover REST v1" }).waitFor();
      await page
        .getByRole("link", { name: /Nodes of a host/ })
        .first()
        .click();
      await page.getByText("/hosts/{id}/nodes", { exact: false }).first().waitFor();
      await page.locator(`body.${colorScheme}-mode`).waitFor();
      const served = ["docs", "docs/viewer.js", "openapi.json"].map((path) => `${panel.url}/api/v1/${path}`);
      assert.deepEqual(asked.toSorted(), served);
      assert.deepEqual(complaints, []);
    });
  }
});
