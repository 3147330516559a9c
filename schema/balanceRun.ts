// The GraphQL view of balance runs.
import { ObjectType } from "type-graphql";
import { pageType } from "./page.js";
import { Run } from "./run.js";

@ObjectType({ simpleResolvers: true, description: "Suggested moves that an operator had carried out." })
export class BalanceRun extends Run {}

export const BalanceRunPage = pageType(() => BalanceRun, "BalanceRunPage");
