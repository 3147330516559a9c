// Nonsense in the answers of a host, one value at a time: a sync reads it or refuses it, breaks nothing, and decides nothing by it.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { DroverError } from "../../src/errors/errors.js";
import { createLogger } from "../../src/observability/log.js";
import { GIB } from "../../src/core/units.js";
import { places } from "../jobs/places.js";
import { Distorter, type Place } from "./support/distorted.js";
import { Site, type ConnectedHost } from "./support/site.js";

const NONSENSE = [
  null,
  "",
  -1,
  1e300,
  "NaN",
  2 ** 53 + 1,
  "9".repeat(400),
  [],
  {},
  "x".repeat(2 ** 20),
  "a\0b",
  "\uD800",
  // What other places hold.
  100,
  "pvea",
] as const;

const MACHINE = {
  type: "qemu",
  vmid: 100,
  node: "pvea",
  name: "web1",
  memory: 2048,
  cores: 2,
  diskGb: 8,
  tags: "prod;web",
};
const CONTAINER = { type: "lxc", vmid: 101, node: "pvea", name: "box", memory: 512, cores: 1, diskGb: 4 };

const NODE = { node: "pvea", sized: true, load_known: true, last_sync_error: null };
const SENSE = [
  { vmid: 100, name: "web1", status: "running", memory_mb: 2048, tags: ["prod", "web"], ...NODE },
  { vmid: 101, name: "box", status: "stopped", memory_mb: 512, tags: [], ...NODE },
];

const isRefusal = (error: unknown): boolean =>
  error === null || (error instanceof DroverError && error.kind === "platform");

/** Each kind of question that a sync asks, by what it is about. */
const QUESTIONS: Readonly<Record<string, RegExp>> = {
  "the version": /version$/,
  "the cluster": /^\/cluster\/(?:status|options)$/,
  "the members": /^\/nodes$/,
  "the tasks": /tasks$/,
  "the guests and storages": /^\/cluster\/resources$/,
  "the networks": /network$/,
  "the packages": /apt\/versions$/,
  "the files": /content$/,
  "the last hour": /rrddata$/,
  "the configuration of a guest": /config$/,
};

/** How a distortion is named in a failure. */
const named = ({ path, keys }: Place, value: unknown): string =>
  `${path} ${keys.join(".")} = ${inspect(value).slice(0, 30)}`;

describe("nonsense in the answers of a host", () => {
  let site: Site;
  let pve: ConnectedHost;
  let distorter: Distorter;
  const warned: unknown[] = [];
  before(async () => {
    distorter = new Distorter();
    const log = createLogger("silent", "test");
    log.warn = (fields: unknown) => void warned.push(fields);
    site = await Site.open({}, { log }, (driver) => distorter.around(driver));
    pve = await site.connect();
    await pve.control.post("/guests", MACHINE);
    await pve.control.post("/guests", CONTAINER);
    const hypervisor = await site.services.hypervisors.of(pve.id);
    const start = await hypervisor.power({ type: "qemu", node: "pvea", vmid: 100 }, "start");
    await hypervisor.waitForTask(start ?? assert.fail("there is no task"));
    distorter.begin();
    await pve.sync({ thorough: true });
  });
  after(() => site.close());
  afterEach(() => {
    distorter.distortion = null;
  });

  const known = () =>
    site.rows(
      `select g.vmid, g.name, g.status, g.memory_mb, g.tags, n.name as node, n.memory_mb > 0 as sized, n.load_known, h.last_sync_error
       from guest g join node n on n.id = g.node_id join host h on h.id = g.host_id where g.gone_at is null order by g.vmid`,
    );

  /** Syncs while one value is another. @returns what the sync failed with; null: nothing */
  const syncWith = async (place: Place, value: unknown): Promise<unknown> => {
    distorter.distortion = { ...place, value };
    try {
      await pve.sync({ thorough: true });
      return null;
    } catch (error) {
      return error;
    } finally {
      distorter.distortion = null;
    }
  };

  /** The places of the answers to one kind of question, which every sync asks. */
  const placesOf = (question: RegExp): readonly Place[] => distorter.places.filter(({ path }) => question.test(path));

  for (const [name, question] of Object.entries(QUESTIONS)) {
    it(`is read or refused in ${name}, and the next sync sets it right`, async () => {
      const broken: string[] = [];
      const distortions = placesOf(question).flatMap((place) => NONSENSE.map((value) => ({ place, value })));
      assert.ok(distortions.length > 0);
      for (const number of places()) {
        const distortion = distortions[number - 1];
        if (distortion === undefined) break;
        const { place, value } = distortion;
        const error = await syncWith(place, value);
        if (!isRefusal(error)) broken.push(`${named(place, value)}: ${inspect(error).slice(0, 200)}`);
      }
      assert.deepEqual(broken, []);
      await pve.sync({ thorough: true });
      assert.deepEqual(await known(), SENSE);
    });
  }

  it("is tried in every answer that a sync asks for", () => {
    const tried = Object.values(QUESTIONS);
    const untried = distorter.places.filter(({ path }) => !tried.some((question) => question.test(path)));
    assert.deepEqual(untried, []);
  });

  const RESOURCES = "/cluster/resources";

  it("gives no room and no load, and leaves a node the size that it had", async () => {
    assert.equal(await syncWith({ path: RESOURCES, keys: ["*", "maxdisk"] }, 1e300), null);
    assert.deepEqual(await site.rows(`select distinct room_known, free_bytes from storage where active`), [
      { room_known: false, free_bytes: 0 },
    ]);
    warned.length = 0;
    assert.equal(await syncWith({ path: RESOURCES, keys: ["*", "mem"] }, -5 * GIB), null);
    assert.deepEqual(warned, [{ figures: ["qemu/100: mem", "lxc/101: mem", "node/pvea: mem"] }], "the log says so");
    assert.deepEqual(await site.rows(`select load_known from node`), [{ load_known: false }]);
    assert.equal(await syncWith({ path: RESOURCES, keys: ["*", "maxmem"] }, 1e300), null);
    assert.deepEqual(await site.rows(`select memory_mb from node`), [{ memory_mb: 65_536 }]);
  });
});
