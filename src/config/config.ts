// Reads and checks the environment once at start; one message names every fault.
import { z } from "zod";
import { ConfigError } from "./configError.js";
import { compileAllowedIps } from "../core/access/allowedIps.js";
import { passwordFault } from "../core/password.js";
import { faultOfMongodbUri } from "./mongodbUri.js";
import { limitsOf, limitVariables, type Limits } from "./limits.js";
import { plainMessage } from "../errors/plainMessage.js";
import { emptyAsUnset, seconds, whole } from "./variables.js";

const addressList = z.preprocess(emptyAsUnset, z.string().default("")).transform((value, check) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      if (!compileAllowedIps(part).ok) {
        check.addIssue({ code: "custom", message: `${part} is neither an IP address nor a CIDR` });
      }
      return part;
    }),
);

const secretKey = z.preprocess(
  emptyAsUnset,
  z
    .string()
    .refine((value) => Buffer.from(value, "base64").length === 32, "must be 32 bytes in base64")
    .optional(),
);

const connectionUrl = (...schemes: string[]) =>
  z.preprocess(
    emptyAsUnset,
    z
      .string()
      .refine(
        (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol),
        `must be a URL that starts with ${schemes.join("// or ")}//`,
      )
      .optional(),
  );

/** An address without a path, such as https://drover.example.com. */
const ownAddress = z.preprocess(
  emptyAsUnset,
  z
    .string()
    .refine(
      (value) =>
        URL.canParse(value) && /^https?:\/\//.test(value) && new URL(value).href === `${new URL(value).origin}/`,
      "must be a URL that starts with http:// or https://, without a path",
    )
    .optional(),
);

/** A text that `faultOf` accepts. */
const faultless = (faultOf: (value: string) => string | null) =>
  z.preprocess(
    emptyAsUnset,
    z
      .string()
      .superRefine((value, check) => {
        const fault = faultOf(value);
        if (fault !== null) check.addIssue({ code: "custom", message: fault });
      })
      .optional(),
  );

/** Every variable that the service reads, with its default; docs/operating.md describes each. */
export const environment = z.object({
  PORT: whole(4000, 0, 65_535),
  BIND: z.preprocess(emptyAsUnset, z.union([z.ipv4(), z.ipv6()], "must be an IP address").default("127.0.0.1")),
  DATABASE_URL: connectionUrl("postgres:", "postgresql:"),
  MONGODB_URI: faultless(faultOfMongodbUri),
  DROVER_SECRET: secretKey,
  DROVER_SECRET_PREVIOUS: secretKey,
  DROVER_BRAND: z.preprocess(
    emptyAsUnset,
    z
      .string()
      .regex(/^[a-z0-9_][a-z0-9_+.-]{0,40}$/, "must be lower-case letters, digits, - _ + . (it becomes part of a tag)")
      .default("drover"),
  ),
  DROVER_ROLE: z.preprocess(emptyAsUnset, z.enum(["all", "api", "worker"]).default("all")),
  TRUST_PROXY: addressList,
  DROVER_URL: ownAddress,
  DROVER_PRIVATE_HOSTS: addressList,
  LOG_LEVEL: z.preprocess(
    emptyAsUnset,
    z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  ),
  DROVER_DATA: z.preprocess(emptyAsUnset, z.string().default(".drover")),
  DROVER_CLOCK_OFFSET_SECONDS: z.preprocess(emptyAsUnset, z.coerce.number().default(0)),
  DROVER_SYNC_SECONDS: seconds(30, 0.2, 3600),
  DROVER_HEARTBEAT_SECONDS: seconds(15, 0.2, 120),
  DROVER_LEASE_SECONDS: whole(30, 3, 600),
  DROVER_DATABASE_PORT: whole(0, 0, 65_535),
  DROVER_ADMIN_PASSWORD: faultless(passwordFault),
  ...limitVariables,
});

/** The service's settings that come from its environment. */
export interface Config {
  /** TCP port of the HTTP server; 0 takes a free one. */
  readonly port: number;
  readonly bind: string;
  /** Undefined: the embedded PostgreSQL under `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Set: Agenda's queue lives in MongoDB instead of PostgreSQL. */
  readonly mongodbUri: string | undefined;
  /** 32 bytes in base64 that encrypt stored secrets; undefined only with the embedded database, which keeps one. */
  readonly secret: string | undefined;
  /** The key before the current one while secrets are rotated; undefined otherwise. */
  readonly previousSecret: string | undefined;
  readonly brand: string;
  readonly role: "all" | "api" | "worker";
  /** Addresses and CIDRs whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  /** Where people reach the service, without a path; undefined: wherever their requests say. */
  readonly url: string | undefined;
  /** Addresses and CIDRs at which hosts may be connected although they are the machine's own, link-local, or otherwise closed. */
  readonly privateHosts: readonly string[];
  readonly logLevel: string;
  readonly dataDirectory: string;
  readonly clockOffsetSeconds: number;
  /** Seconds between two inventory syncs of a host. */
  readonly syncSeconds: number;
  /** Seconds between two heartbeats of an agent. */
  readonly heartbeatSeconds: number;
  /** Seconds after which another worker may take over the jobs of a worker that stopped renewing its leases. */
  readonly leaseSeconds: number;
  /** Port of the embedded PostgreSQL; 0 takes a free one. */
  readonly databasePort: number;
  /** Password of the admin user that the first start makes; generated and printed once when undefined. */
  readonly adminPassword: string | undefined;
  readonly limits: Limits;
}

/** Checks the environment. @throws ConfigError that names every bad variable */
export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(variables, { error: plainMessage });
  const faults = parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  if (emptyAsUnset(variables["DATABASE_URL"]) !== undefined && emptyAsUnset(variables["DROVER_SECRET"]) === undefined) {
    faults.push("DROVER_SECRET: is needed with DATABASE_URL (32 bytes in base64, such as `openssl rand -base64 32`)");
  }
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(`The environment cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
  const values = parsed.data;
  return {
    port: values.PORT,
    bind: values.BIND,
    databaseUrl: values.DATABASE_URL,
    mongodbUri: values.MONGODB_URI,
    secret: values.DROVER_SECRET,
    previousSecret: values.DROVER_SECRET_PREVIOUS,
    brand: values.DROVER_BRAND,
    role: values.DROVER_ROLE,
    trustedProxies: values.TRUST_PROXY,
    url: values.DROVER_URL,
    privateHosts: values.DROVER_PRIVATE_HOSTS,
    logLevel: values.LOG_LEVEL,
    dataDirectory: values.DROVER_DATA,
    clockOffsetSeconds: values.DROVER_CLOCK_OFFSET_SECONDS,
    syncSeconds: values.DROVER_SYNC_SECONDS,
    heartbeatSeconds: values.DROVER_HEARTBEAT_SECONDS,
    leaseSeconds: values.DROVER_LEASE_SECONDS,
    databasePort: values.DROVER_DATABASE_PORT,
    adminPassword: values.DROVER_ADMIN_PASSWORD,
    limits: limitsOf(values),
  };
}
