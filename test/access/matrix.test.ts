// Every query of the schema, asked by every kind of caller about what is theirs, somebody else's and nobody's: each is told all that they
// may know, and nothing else, neither in words nor in numbers.
import assert from "node:assert/strict";
import pLimit from "p-limit";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { everyQuestion } from "./support/everyQuestion.js";
import { changesOutOfSight, narrowCallers } from "./support/outOfSight.js";
import { KNOWN, marksIn } from "./support/plantedMarks.js";
import { callers, startPlantedWorld, type Caller, type PlantedWorld } from "./support/plantedWorld.js";

/** Thousands of questions, on a machine that may be slow. */
const PATIENCE_MS = 120_000;
const AT_ONCE = 8;

const questions = everyQuestion(buildDroverSchema());
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are callers
const names = Object.keys(callers) as Caller[];

describe("access/matrix", () => {
  let world: PlantedWorld;
  /** By caller, in the order of the questions. */
  const answers = new Map<Caller, readonly string[]>();
  before(async () => {
    world = await startPlantedWorld();
  });
  after(() => world.close());

  for (const caller of names) {
    it(`shows ${caller} what they may see, and nothing else`, async () => {
      const told = await allAnswers(world, caller);
      answers.set(caller, told);
      const marks = told.flatMap((answer, place) => newMarks(answer, questions[place] ?? ""));
      assert.deepEqual([...new Set(marks)].toSorted(), [...KNOWN[caller]].toSorted());
    }).timeout(PATIENCE_MS);
  }

  for (const caller of narrowCallers) {
    it(`shows ${caller} the same when what they may not see is otherwise`, async () => {
      const other = await startPlantedWorld();
      await other.services.pool.query(changesOutOfSight(caller));
      const told = await allAnswers(other, caller);
      await other.close();
      const before = answers.get(caller) ?? (await allAnswers(world, caller));
      for (const [place, answer] of told.entries()) assert.equal(answer, before[place], questions[place]);
    }).timeout(PATIENCE_MS);
  }
});

/** Several at once, as many as there are connections to the database. */
const allAnswers = (world: PlantedWorld, caller: Caller): Promise<string[]> =>
  pLimit(AT_ONCE).map(questions, async (question) => {
    const { faults, ...answer } = await world.ask(caller, question);
    assert.deepEqual(faults, [], question);
    return withoutTimes(JSON.stringify(answer));
  });

/** What differs from one moment to the next. */
const withoutTimes = (answer: string): string =>
  answer.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replaceAll(/"uptimeSeconds":\d+/g, '"uptimeSeconds":0');

/** Marks that the question did not bring along itself. */
function newMarks(answer: string, question: string): string[] {
  const asked = marksIn(question);
  return [...marksIn(answer)].filter((mark) => !asked.has(mark));
}
