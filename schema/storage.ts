// The GraphQL view of a storage as one node sees it.
import { Field, ObjectType } from "type-graphql";
import { pageType } from "./page.js";
import { SafeInt } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "A storage as one node sees it; a shared one is listed for each node.",
})
export class Storage {
  @Field(() => String, { description: "Name." })
  readonly name!: string;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Type on the platform, such as `lvmthin` or `dir`." })
  readonly type!: string;

  @Field(() => [String], { description: "Content types: `images`, `rootdir`, `vztmpl`, `iso`, …" })
  readonly content!: readonly string[];

  @Field(() => Boolean, { description: "Whether several nodes see the same data." })
  readonly shared!: boolean;

  @Field(() => Boolean, { description: "Whether the node can use it now." })
  readonly active!: boolean;

  @Field(() => SafeInt, { description: "Size, bytes." })
  readonly totalBytes!: number;

  @Field(() => SafeInt, { description: "In use, bytes." })
  readonly usedBytes!: number;

  @Field(() => SafeInt, { description: "Free, bytes." })
  readonly freeBytes!: number;

  @Field(() => Boolean, {
    description:
      "Whether the host reports how much room it has; else its size, use and free room are 0 and mean nothing.",
  })
  readonly roomKnown!: boolean;
}

export const StoragePage = pageType(() => Storage, "StoragePage");
