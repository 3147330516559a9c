// Every name of REST v1 that GraphQL does not have is told to GraphQL's callers as theirs.
import assert from "node:assert/strict";
import { inGraphqlNames } from "../../graphql/fieldNames.js";
import { routes } from "../../rest/routes/index.js";

describe("graphql/fieldNames", () => {
  it("has a name for every field that REST requests send", () => {
    const sent = routes.flatMap(({ fields }) => fields.filter((field) => field.in !== "path"));
    for (const { name, variable } of sent) {
      // REST calls a user's own id user_id, as GraphQL's argument userId does.
      const expected = variable === "externalId" ? "userId" : variable.replace(/^.+\./, "");
      assert.equal(inGraphqlNames(name), expected);
    }
  });

  it("leaves the forms of values as they are", () => {
    assert.equal(inGraphqlNames("os_template: must be tpl:<template_id>"), "osTemplate: must be tpl:<template_id>");
    assert.equal(inGraphqlNames("no_plan_id is none, <plan_id> is a form"), "no_plan_id is none, <plan_id> is a form");
  });
});
