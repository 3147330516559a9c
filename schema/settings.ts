// The GraphQL view of the service's settings, and the input that changes them: a field of both for each entry of the table of settings.
import { Field, Float, InputType, Int, ObjectType } from "type-graphql";
import { isOptional, settingEntries } from "../src/core/settings.js";
import { UserRole } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "What governs placement, balancing and retention." })
export class Settings {
  @Field(() => [UserRole], {
    description:
      "Roles whose people need a second factor; who has none may only set one up. Sessions of people, not API tokens.",
  })
  readonly secondFactorRoles!: readonly UserRole[];
}

@InputType({ description: "Settings to change; what is left out stays as it is." })
export class SettingsInput {
  @Field(() => [UserRole], {
    nullable: true,
    description: "Roles whose people need a second factor, all of them; only those that the caller may give others.",
  })
  readonly secondFactorRoles?: readonly UserRole[] | null;
}

for (const [name, setting] of settingEntries) {
  const type = () => (setting.whole ? Int : Float);
  Field(type, { description: setting.text, nullable: isOptional(setting) })(Settings.prototype, name);
  Field(type, { description: setting.inputText, nullable: true })(SettingsInput.prototype, name);
}
