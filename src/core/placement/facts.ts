// What placement knows of hosts and nodes, each fact once: where it is stored, what a simulation calls it, and what holds where nothing
// is said of it. The statement that loads them, the snapshot and the simulation's input are made from these tables.

/** How a simulation gives a fact. */
type Given = "flag" | "count" | "positive count" | "amount" | "number or nothing";

export interface Fact<Value = boolean | number | null> {
  /** SQL of its value, from the row `h` of a host or `n` of a node. */
  readonly sql: string;
  readonly given: Given;
  /** Its name in a simulation; left out: the same. */
  readonly simulated?: string;
  /** What holds where nothing is said. */
  readonly usual: Value;
  /** Whether a simulation must say it. */
  readonly isRequired?: true;
}

export type Facts = Readonly<Record<string, Fact>>;

/** The values of a table's facts, by name. */
export type ValuesOf<Table> = { readonly [Name in keyof Table]: Table[Name] extends Fact<infer Value> ? Value : never };

const flag = (sql: string, usual: boolean): Fact<boolean> => ({ sql, usual, given: "flag" });

export const HOST_FACTS = {
  active: flag("h.active", true),
  maintenance: flag("h.maintenance", false),
  /** Whether it can change anything: a cluster's minority cannot. */
  quorate: flag("h.quorate", true),
} satisfies Facts;

const amount = (sql: string, simulated: string): Fact<number> => ({
  sql,
  simulated,
  usual: 0,
  given: "amount",
  isRequired: true,
});

export const NODE_FACTS = {
  online: flag("n.status = 'online'", true),
  /** Maintenance of this node alone, apart from its host's; simulations have it. */
  maintenance: flag("false", false),
  cores: { sql: "n.cpu_cores", usual: 1, given: "positive count", isRequired: true } as Fact<number>,
  /** Average CPU use of the last 30 minutes, 0..1; null when there is no sample of that time. */
  cpuAverage: {
    sql: "n.cpu_average_30m",
    simulated: "cpu_avg30",
    usual: null,
    given: "number or nothing",
  } as Fact<number | null>,
  memoryMb: amount("n.memory_mb", "mem_total_mb"),
  memoryUsedMb: amount("n.memory_used_mb", "mem_used_mb"),
  /** Whether its host tells how much CPU and RAM is in use; else what is in use means nothing. */
  loadKnown: { ...flag("n.load_known", true), simulated: "load_known" },
  /** Safety copies are not counted. */
  guestCount: {
    sql: "(select count(*)::int from guest g where g.node_id = n.id and g.gone_at is null and not g.safety_copy)",
    simulated: "guest_count",
    usual: 0,
    given: "count",
  } as Fact<number>,
} satisfies Facts;

/** @returns what `valueOf` makes of each fact of a table, by its name. */
export const eachFact = <Table extends Facts>(
  table: Table,
  valueOf: (fact: Fact, name: string) => Fact["usual"],
): ValuesOf<Table> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the table, and each value is read as its fact says
  Object.fromEntries(Object.entries(table).map(([name, fact]) => [name, valueOf(fact, name)])) as ValuesOf<Table>;

/** @returns what holds of a host or node of which nothing is said. */
export const usual = <Table extends Facts>(table: Table): ValuesOf<Table> => eachFact(table, (fact) => fact.usual);

/** @returns the columns of a statement that give the facts, by name. */
export const columnsOf = (table: Facts): string =>
  Object.entries(table)
    .map(([name, { sql }]) => `${sql} as "${name}"`)
    .join(", ");
