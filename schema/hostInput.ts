// The arguments that connect a host and change its connection.
import { ArgsType, Field, Int } from "type-graphql";

@ArgsType()
abstract class CredentialArguments {
  @Field(() => String, { nullable: true, description: "Name of the user's API token, such as `panel`." })
  readonly tokenId?: string | null;

  @Field(() => String, { nullable: true, description: "Secret of the API token." })
  readonly tokenSecret?: string | null;

  @Field(() => String, { nullable: true, description: "The user's password, instead of an API token." })
  readonly password?: string | null;

  @Field(() => String, { nullable: true, description: "SHA-256 fingerprint of the certificate, `AA:BB:…`." })
  readonly tlsFingerprint?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether moves to this host may go by a temporary token with all rights of the connection's user where the connection cannot limit it: the source host holds that token while the guest moves. Left out: as it is; no for a new host.",
  })
  readonly allowUnrestrictedMoveToken?: boolean | null;
}

@ArgsType()
export class NewHostArguments extends CredentialArguments {
  @Field(() => String, { description: "Display name, unique." })
  readonly name!: string;

  @Field(() => String, { description: "Address of the host." })
  readonly hostname!: string;

  @Field(() => Int, { nullable: true, defaultValue: 8006, description: "TCP port of the platform's API." })
  readonly port?: number | null;

  @Field(() => String, { description: "Login user with its realm, such as `root@pam`." })
  readonly user!: string;
}

@ArgsType()
export class HostChangeArguments extends CredentialArguments {
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

  @Field(() => Boolean, { nullable: true, description: "Whether the service uses this connection." })
  readonly active?: boolean | null;
}
