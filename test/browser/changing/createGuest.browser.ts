// A guest is created in the panel and seen to come up, also by somebody who only looks at the list.
import assert from "node:assert/strict";
import { choose, panel } from "../support/panel.js";

const NAME = "panel-made.example.com";

describe("creating a guest", () => {
  it("previews its place, follows the job, and shows the guest to all without a reload", async () => {
    const watcher = await panel.open(`/guests?search=${NAME}`);
    await watcher.page.getByText("No guests match the filters.").waitFor();
    const { page, complaints } = await panel.open("/guests/new");
    await choose(page, "Host", "amsterdam");
    await page.getByLabel("Name", { exact: true }).fill(NAME);
    await choose(page, "Template", /^debian-12/);
    await choose(page, "Size", /^Small/);
    await page.getByRole("combobox", { name: "IP address" }).fill("10.58.0.250");
    await page.getByRole("option", { name: /^amsterdam public/ }).click();
    await page.getByLabel("Initial password").fill("correct horse battery");
    await page.getByRole("region", { name: "Placement preview" }).getByText("amsterdam / ams1").first().waitFor();
    await page.getByRole("button", { name: `Create ${NAME}` }).click();
    await page.getByText(`${NAME} is running.`).waitFor();
    await watcher.page.getByRole("link", { name: NAME }).waitFor();
    await watcher.page.getByRole("link", { name: NAME }).click();
    await watcher.page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    await watcher.page.getByRole("region", { name: "Jobs" }).getByText("Create guest").waitFor();
    assert.deepEqual([...complaints, ...watcher.complaints], []);
  });

  it("shows what is missing before anything is sent", async () => {
    const { page } = await panel.open("/guests/new?hostId=1");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Enter a DNS name: letters, digits, - and .").waitFor();
    await page.getByText("Select a template").last().waitFor();
  });

  it("shows what the service refuses at its field, in the words of the form", async () => {
    const { page } = await panel.open("/guests/new?hostId=1");
    await page.getByLabel("Name", { exact: true }).fill("no-access.example.com");
    await choose(page, "Template", /^debian-12/);
    await page.getByRole("button", { name: "Create no-access.example.com" }).click();
    await page.getByText("or SSH public keys must be given").waitFor();
    await page.locator("input[type=password]:focus").waitFor();
  });

  it("shows why a guest fits nowhere", async () => {
    const { page } = await panel.open("/placement?cores=500&memoryMb=1024&diskGb=10");
    await page.getByText("No suitable node").waitFor();
    await page.getByText(/amsterdam \/ ams1:/).waitFor();
  });
});
