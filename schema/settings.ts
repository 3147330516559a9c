// The GraphQL view of the service's settings, and the input that changes them: a field of both for each entry of the table of settings.
import { Field, Float, InputType, Int, ObjectType } from "type-graphql";
import { isOptional, settingEntries } from "../src/core/settings.js";

@ObjectType({ simpleResolvers: true, description: "What governs placement, balancing and retention." })
// oxlint-disable-next-line typescript/no-extraneous-class -- the table gives its fields
export class Settings {}

@InputType({ description: "Settings to change; what is left out stays as it is." })
// oxlint-disable-next-line typescript/no-extraneous-class -- the table gives its fields
export class SettingsInput {}

for (const [name, setting] of settingEntries) {
  const type = () => (setting.whole ? Int : Float);
  Field(type, { description: setting.text, nullable: isOptional(setting) })(Settings.prototype, name);
  Field(type, { description: setting.inputText, nullable: true })(SettingsInput.prototype, name);
}
