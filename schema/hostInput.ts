// The arguments that connect a host and change its connection.
import { ArgsType, Field, Int } from "type-graphql";

const TOKEN_ID = "Name of the user's API token, such as `panel`.";
const TOKEN_SECRET = "Secret of the API token.";
const PASSWORD = "The user's password, instead of an API token.";
const FINGERPRINT = "SHA-256 fingerprint of the certificate, `AA:BB:…`.";

@ArgsType()
export class NewHostArguments {
  @Field(() => String, { description: "Display name, unique." })
  readonly name!: string;

  @Field(() => String, { description: "Address of the host." })
  readonly hostname!: string;

  @Field(() => Int, { nullable: true, defaultValue: 8006, description: "TCP port of the platform's API." })
  readonly port?: number | null;

  @Field(() => String, { description: "Login user with its realm, such as `root@pam`." })
  readonly user!: string;

  @Field(() => String, { nullable: true, description: TOKEN_ID })
  readonly tokenId?: string | null;

  @Field(() => String, { nullable: true, description: TOKEN_SECRET })
  readonly tokenSecret?: string | null;

  @Field(() => String, { nullable: true, description: PASSWORD })
  readonly password?: string | null;

  @Field(() => String, { nullable: true, description: FINGERPRINT })
  readonly tlsFingerprint?: string | null;
}

@ArgsType()
export class HostChangeArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly id!: number;

  @Field(() => String, { nullable: true, description: "Display name, unique." })
  readonly name?: string | null;

  @Field(() => String, { nullable: true, description: "Address of the host." })
  readonly hostname?: string | null;

  @Field(() => Int, { nullable: true, description: "TCP port of the platform's API." })
  readonly port?: number | null;

  @Field(() => String, { nullable: true, description: "Login user with its realm." })
  readonly user?: string | null;

  @Field(() => String, { nullable: true, description: TOKEN_ID })
  readonly tokenId?: string | null;

  @Field(() => String, { nullable: true, description: TOKEN_SECRET })
  readonly tokenSecret?: string | null;

  @Field(() => String, { nullable: true, description: PASSWORD })
  readonly password?: string | null;

  @Field(() => String, { nullable: true, description: FINGERPRINT })
  readonly tlsFingerprint?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the service uses this connection." })
  readonly active?: boolean | null;
}
