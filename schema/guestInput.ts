// The inputs that create and reinstall guests.
import { Field, InputType, Int } from "type-graphql";
import { GuestType } from "./enums.js";

@InputType()
abstract class Installation {
  @Field(() => String, {
    nullable: true,
    description: "`tpl:<id>` for a virtual machine; the volume id of a template file for a container.",
  })
  readonly osTemplate?: string | null;

  @Field(() => Int, { nullable: true, description: "Container template of the managed library." })
  readonly lxcTemplateId?: number | null;

  @Field(() => String, { nullable: true, description: "Initial password, at least 8 characters." })
  readonly password?: string | null;

  @Field(() => [String], { nullable: true, description: "OpenSSH public keys to install." })
  readonly sshKeys?: string[] | null;
}

@InputType({ description: "A guest to create." })
export class GuestCreateInput extends Installation {
  @Field(() => GuestType, { description: "Virtual machine or container." })
  readonly type!: GuestType;

  @Field(() => String, { description: "Name of the node, or `auto`: placement chooses node and storage." })
  readonly node!: string;

  @Field(() => String, { description: "Name, a valid DNS name." })
  readonly name!: string;

  @Field(() => Int, { nullable: true, description: "Plan that sets cores, memory and system disk." })
  readonly planId?: number | null;

  @Field(() => Int, { nullable: true, description: "CPU cores; needed without a plan." })
  readonly cores?: number | null;

  @Field(() => Int, { nullable: true, description: "RAM, MiB; needed without a plan." })
  readonly memoryMb?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "System disk, GiB, at least `minDiskGb` of the template, whose further disks come besides; needed without a plan.",
  })
  readonly diskGb?: number | null;

  @Field(() => Int, { nullable: true, description: "A free VMID; needed unless the node is `auto`." })
  readonly vmid?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "User who owns it, one of their own customers for resellers, who must say; the stored SSH keys are installed too.",
  })
  readonly ownerId?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "`dhcp` (when left out) or `zone:<id>`: the next free address of that IP zone.",
  })
  readonly ipSource?: string | null;
}

@InputType({ description: "What to reinstall a guest from." })
export class GuestReinstallInput extends Installation {}
