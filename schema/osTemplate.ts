// The GraphQL view of a QEMU template that guests are cloned from.
import { Field, Float, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";

@ObjectType({ simpleResolvers: true, description: "A QEMU template that virtual machines are cloned from." })
export class OsTemplate {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "Reference for the creation of guests, `tpl:<id>`." })
  readonly ref!: string;

  @Field(() => Int, { description: "Id of its host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node that it is on." })
  readonly node!: string;

  @Field(() => Int, { description: "VMID of the template." })
  readonly vmid!: number;

  @Field(() => String, { description: "Display name." })
  readonly name!: string;

  @Field(() => Float, {
    description:
      "Size of its system disk, GiB: that of a guest has at least this much. The template's further disks come besides, as they are.",
  })
  readonly minDiskGb!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      "Size of its further disks together, GiB: every guest has them besides its system disk. Null: not known.",
  })
  readonly furtherDiskGb!: number | null;

  @Field(() => Boolean, { description: "Whether new guests may use it." })
  readonly active!: boolean;
}

export const OsTemplatePage = pageType(() => OsTemplate, "OsTemplatePage");
