// Queries and changes of the service's settings.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Mutation, Query, Resolver } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { updateSettings } from "../src/actions/setting.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { SettingChanges } from "../src/core/settings.js";
import { selectOnly, type ReadRow } from "../src/reads/engine/read.js";
import { settings } from "../src/reads/models/setting.js";
import { Settings, SettingsInput } from "../schema/settings.js";

@Resolver(() => Settings)
export class SettingsResolver {
  @Query(() => Settings, { description: "What governs placement, balancing and retention." })
  settings(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectOnly(context, settings, info);
  }

  @Mutation(() => Settings, {
    description: "Changes settings; what is left out stays as it is. Needs `hosts.manage` of every host.",
  })
  async updateSettings(
    @Arg("input", () => SettingsInput, { description: "What to change." }) input: SettingChanges,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await updateSettings(context, input);
    return selectOnly(context, settings, info);
  }
}
