// What is said of a template that cannot be registered: that it is registered already only when it is.
import assert from "node:assert/strict";
import { registerCtTemplate } from "../../../src/actions/catalogue/template.js";
import { losingPool } from "../../jobs/killing.js";
import { contextOf, managingToken } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const TEMPLATE = { name: "Alpine", volid: "local:vztmpl/alpine.tar.gz" };

describe("actions/template", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  it("reports a fault of the database as one, and a template that is there as registered already", async () => {
    const context = contextOf(services, managingToken());
    const fault = new Error("the connection is lost");
    const { pool } = losingPool(services.pool, { write: 1, moment: "before" }, fault);
    await assert.rejects(registerCtTemplate({ ...context, pool }, TEMPLATE), fault);
    await registerCtTemplate(context, TEMPLATE);
    assert.equal((await refusedAs("conflict", registerCtTemplate(context, TEMPLATE))).reason, "TEMPLATE_EXISTS");
  });
});
