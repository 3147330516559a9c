// The GraphQL view of a second factor that is set up: what is shown once.
import { Field, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "A key of one-time codes that was begun. Shown once." })
export class BegunTotp {
  @Field(() => String, { description: "The key in Base32, to be typed into an authenticator app." })
  readonly secret!: string;

  @Field(() => String, { description: "The same as an `otpauth://` address, to be scanned." })
  readonly otpauthUri!: string;
}

@ObjectType({ simpleResolvers: true, description: "Recovery codes of a second factor. Shown once." })
export class RecoveryCodes {
  @Field(() => [String], { description: "Ten codes, each of which counts once, in the place of a one-time code." })
  readonly recoveryCodes!: readonly string[];
}
