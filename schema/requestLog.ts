// The GraphQL view of the log of API requests, and which of its entries to list.
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";
import { DateTime } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "One API request, refused ones included." })
export class RequestLogEntry {
  @Field(() => ID, { description: "Id." })
  readonly id!: string;

  @Field(() => DateTime, { description: "When it arrived." })
  readonly at!: string;

  @Field(() => Int, { nullable: true, description: "Id of the API token; null when unknown." })
  readonly tokenId!: number | null;

  @Field(() => String, { nullable: true, description: "Label of the API token at the time." })
  readonly tokenName!: string | null;

  @Field(() => String, { description: "Address that it came from." })
  readonly sourceIp!: string;

  @Field(() => String, {
    description: "HTTP method; `WS`: an operation over WebSocket, whose connection is a GET of its own.",
  })
  readonly method!: string;

  @Field(() => String, { description: "Path, without the query string." })
  readonly path!: string;

  @Field(() => Int, { description: "HTTP status of the answer; over WebSocket, of the decision to let it in." })
  readonly status!: number;

  @Field(() => Float, { description: "Time to the answer, milliseconds." })
  readonly durationMs!: number;
}

export const RequestLogPage = pageType(() => RequestLogEntry, "RequestLogPage");

@InputType({ description: "Which entries to list; what is left out does not restrict." })
export class RequestLogFilter {
  @Field(() => Int, { nullable: true, description: "Only requests with this API token." })
  readonly tokenId?: number | null;

  @Field(() => Int, { nullable: true, description: "Only answers of this HTTP status or above." })
  readonly statusMin?: number | null;

  @Field(() => Int, { nullable: true, description: "Only answers of this HTTP status or below." })
  readonly statusMax?: number | null;

  @Field(() => String, { nullable: true, description: "Only requests from this address, in any spelling." })
  readonly sourceIp?: string | null;

  @Field(() => String, { nullable: true, description: "Only paths that contain this." })
  readonly path?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Only requests at this moment or later." })
  readonly from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only requests before this moment." })
  readonly to?: Date | null;
}
