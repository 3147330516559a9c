// Registration of templates.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Resolver } from "type-graphql";
import { registerCtTemplate, registerOsTemplate } from "../src/actions/catalogue/template.js";
import type { Context } from "../src/context/context.js";
import { ctTemplates } from "../src/reads/models/ctTemplate.js";
import { osTemplates } from "../src/reads/models/osTemplate.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { CtTemplate } from "../schema/ctTemplate.js";
import { OsTemplate } from "../schema/osTemplate.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class OsTemplateArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node that the template is on." })
  readonly node!: string;

  @Field(() => Int, { description: "VMID of the template." })
  readonly vmid!: number;

  @Field(() => String, { description: "Display name." })
  readonly name!: string;
}

@Resolver()
export class TemplateMutations {
  @Mutation(() => OsTemplate, {
    description:
      "Offers a QEMU template of a host for new virtual machines. Needs `hosts.manage`. Refused with `CONFLICT` (`TEMPLATE_EXISTS`).",
  })
  async registerOsTemplate(
    @Args(() => OsTemplateArguments) args: OsTemplateArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await registerOsTemplate(context, args);
    return selectOne(context, info, { model: osTemplates, id });
  }

  @Mutation(() => CtTemplate, {
    description:
      "Adds a template file to the managed library for new containers. Needs `hosts.manage` of every host. Refused with `CONFLICT` (`TEMPLATE_EXISTS`).",
  })
  async registerCtTemplate(
    @Arg("name", () => String, { description: "Display name." }) name: string,
    @Arg("volid", () => String, { description: "Volume id, `<storage>:vztmpl/<file>`." }) volid: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await registerCtTemplate(context, { name, volid });
    return selectOne(context, info, { model: ctTemplates, id });
  }
}
