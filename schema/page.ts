// Pages of lists: their arguments, their numbers, and the page type of a record.
import { ArgsType, Field, Int, ObjectType, type ClassType } from "type-graphql";

@ArgsType()
export class PageArguments {
  @Field(() => Int, { nullable: true, defaultValue: 1, description: "The page, from 1." })
  readonly page!: number | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 50,
    description: "Records a page, from 1; more than 200 counts as 200.",
  })
  readonly perPage!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Where in a list a page stands." })
class PageMeta {
  @Field(() => Int, { description: "This page, from 1." })
  readonly page!: number;

  @Field(() => Int, { description: "Records a page, at most 200." })
  readonly perPage!: number;

  @Field(() => Int, { description: "Records in all pages." })
  readonly total!: number;
}

/** A page of records as resolvers return it. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly meta: PageMeta;
}

/** Makes the page type of a record: `HostPage` for `Host`. */
export function pageType<Item extends object>(item: () => ClassType<Item>, name: string): ClassType<PageOf<Item>> {
  @ObjectType(name, { simpleResolvers: true, description: "One page of a list." })
  class Page implements PageOf<Item> {
    @Field(() => [item()], { description: "The records of this page." })
    readonly items!: readonly Item[];

    @Field(() => PageMeta, { description: "Where this page stands." })
    readonly meta!: PageMeta;
  }
  return Page;
}
