// The GraphQL view of a user's SSH key: never the key itself.
import { Field, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";

@ObjectType({ simpleResolvers: true, description: "A stored SSH public key." })
export class SshKey {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "Name that its owner gave it." })
  readonly name!: string;

  @Field(() => String, { description: "Fingerprint, `SHA256:…`." })
  readonly fingerprint!: string;
}

export const SshKeyPage = pageType(() => SshKey, "SshKeyPage");
