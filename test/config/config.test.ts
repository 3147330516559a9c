// The environment: what is understood, and what is refused with every fault named at once.
import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.js";
import { ConfigError } from "../../src/config/configError.js";

const SECRET = Buffer.alloc(32, 7).toString("base64");

const faultsOf = (variables: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message
        .split("\n")
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  return [];
};

describe("config", () => {
  it("is complete without any variable", () => {
    const config = readConfig({});
    assert.equal(config.port, 4000);
    assert.equal(config.bind, "127.0.0.1");
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.role, "all");
    assert.equal(config.brand, "drover");
    assert.equal(config.dataDirectory, ".drover");
    assert.deepEqual(config.trustedProxies, []);
  });

  it("takes an empty variable for one that is not set", () => {
    assert.deepEqual(readConfig({ PORT: "", DATABASE_URL: "", TRUST_PROXY: "", DROVER_ROLE: "" }), readConfig({}));
  });

  it("reads proxies as a list of addresses and networks", () => {
    const { trustedProxies } = readConfig({ TRUST_PROXY: "10.0.0.1, 192.168.0.0/16,::1" });
    assert.deepEqual(trustedProxies, ["10.0.0.1", "192.168.0.0/16", "::1"]);
  });

  const accepted: readonly (readonly [name: string, value: string])[] = [
    ["PORT", "0"],
    ["PORT", "65535"],
    ["BIND", "::"],
    ["DROVER_SYNC_SECONDS", "0.2"],
    ["DROVER_LEASE_SECONDS", "3"],
    ["DROVER_CLOCK_OFFSET_SECONDS", "-86400"],
    ["MONGODB_URI", "mongodb+srv://cluster.example/queue"],
    ["MONGODB_URI", "mongodb://h1:27017,h2:27017,h3:27017/drover?replicaSet=rs0"],
    ["MONGODB_URI", "mongodb://drover:p%40ss@[::1]:27017/queue?tls=true&authSource=admin"],
    ["DROVER_ADMIN_PASSWORD", "12345678"],
    ["DROVER_BRAND", "acme-cloud"],
    ["DROVER_URL", "https://drover.example.com"],
    ["DROVER_URL", "http://[::1]:4000/"],
  ];
  for (const [name, value] of accepted) {
    it(`accepts ${name}=${value}`, () => assert.deepEqual(faultsOf({ [name]: value }), []));
  }

  const refused: readonly (readonly [name: string, value: string])[] = [
    ["DROVER_URL", "drover.example.com"],
    ["DROVER_URL", "https:drover.example.com"],
    ["DROVER_URL", "ftp://drover.example.com"],
    ["DROVER_URL", "https://drover.example.com/panel"],
    ["DROVER_URL", "https://admin@drover.example.com"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "http"],
    ["BIND", "localhost"],
    ["DATABASE_URL", "mysql://localhost/drover"],
    ["MONGODB_URI", "http://localhost"],
    ["MONGODB_URI", "mongodb://"],
    ["MONGODB_URI", "mongodb://h1:99999/drover"],
    ["MONGODB_URI", "mongodb://h1/drover?replicaset=rs0&retrywrite=true"],
    ["MONGODB_URI", "mongodb+srv://h1:27017/drover"],
    ["DROVER_SECRET", "c2hvcnQ="],
    ["DROVER_ADMIN_PASSWORD", "1234567"],
    ["DROVER_ADMIN_PASSWORD", "two lines\nof it"],
    ["DROVER_ROLE", "both"],
    ["DROVER_BRAND", "Big Cloud"],
    ["TRUST_PROXY", "10.0.0.1,proxy.example"],
    ["TRUST_PROXY", "10.1"],
    ["DROVER_PRIVATE_HOSTS", "127.1"],
    ["DROVER_PRIVATE_HOSTS", "127.0.0.0/33"],
    ["LOG_LEVEL", "loud"],
    ["DROVER_SYNC_SECONDS", "0.1"],
    ["DROVER_LEASE_SECONDS", "2"],
    ["DROVER_CLOCK_OFFSET_SECONDS", "soon"],
  ];
  for (const [name, value] of refused) {
    it(`refuses ${name}=${value} by its name`, () => {
      const faults = faultsOf({ [name]: value, ...(name === "DATABASE_URL" ? { DROVER_SECRET: SECRET } : {}) });
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.startsWith(`${name}: `), faults[0]);
    });
  }

  it("shows no part of a password that it could not read", () => {
    for (const uri of [
      "mongodb://u:se@cret:pass/@h1/drover",
      "mongodb://u:secret%zz@h1/drover",
      "mongodb://u:secret@[::1/d",
    ]) {
      const [fault = ""] = faultsOf({ MONGODB_URI: uri });
      assert.match(fault, /^MONGODB_URI: /);
      assert.doesNotMatch(fault, /cret|pass@|%zz/);
    }
  });

  it("reports in plain words what a value must be", () => {
    assert.deepEqual(faultsOf({ PORT: "65536", DROVER_ROLE: "both", DROVER_SYNC_SECONDS: "soon", LOG_LEVEL: "loud" }), [
      "PORT: must be at most 65535",
      "DROVER_ROLE: must be all or api or worker",
      "LOG_LEVEL: must be trace or debug or info or warn or error or fatal or silent",
      "DROVER_SYNC_SECONDS: must be a number",
    ]);
    assert.deepEqual(faultsOf({ PORT: "80.5" }), ["PORT: must be a whole number"]);
    assert.deepEqual(faultsOf({ DROVER_ADMIN_PASSWORD: "abc" }), [
      "DROVER_ADMIN_PASSWORD: must be at least 8 characters long",
    ]);
  });

  it("requires the secret to be given when the database is not its own", () => {
    const url = "postgres://drover@db.example/drover";
    assert.match(faultsOf({ DATABASE_URL: url })[0] ?? "", /^DROVER_SECRET: is needed with DATABASE_URL/);
    assert.deepEqual(faultsOf({ DATABASE_URL: url, DROVER_SECRET: SECRET }), []);
  });

  it("names every fault in one message", () => {
    const names = faultsOf({ PORT: "x", BIND: "y", DROVER_ROLE: "z", DATABASE_URL: "w" }).map(
      (fault) => fault.split(":")[0],
    );
    assert.deepEqual(new Set(names), new Set(["PORT", "BIND", "DROVER_ROLE", "DATABASE_URL", "DROVER_SECRET"]));
  });
});
