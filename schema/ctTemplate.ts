// The GraphQL view of what containers are made from: entries of the managed library and template files of nodes.
import { Field, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";
import { SafeInt } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "A managed library entry (id set) or a template file of a node (id null).",
})
export class CtTemplate {
  @Field(() => Int, { nullable: true, description: "Id in the managed library; null for a file of a node." })
  readonly id!: number | null;

  @Field(() => String, { description: "Display name; of a file, its name." })
  readonly name!: string;

  @Field(() => String, { description: "Volume id on the platform, such as `local:vztmpl/debian-12….tar.zst`." })
  readonly volid!: string;

  @Field(() => String, { nullable: true, description: "Name of the node that has the file; null for a library entry." })
  readonly node!: string | null;

  @Field(() => String, { nullable: true, description: "Name of the storage that holds the file." })
  readonly storage!: string | null;

  @Field(() => SafeInt, { nullable: true, description: "Size of the file, bytes; null when no node shows it." })
  readonly sizeBytes!: number | null;

  @Field(() => Boolean, { description: "Whether it is an entry of the managed library." })
  readonly managed!: boolean;
}

export const CtTemplatePage = pageType(() => CtTemplate, "CtTemplatePage");
