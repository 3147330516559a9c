// Which changes of a step's state the journal takes, and which it refuses.
import assert from "node:assert/strict";
import { KEPT } from "../../../jobs/engine/step.js";
import { IllegalChange, StepStates } from "../../../jobs/engine/stepStates.js";
import { UndoStatus } from "../../../src/core/enums.js";
import type { RecordedStep } from "../../../src/store/job/claim.js";

const NONE = { undo: null, left: null } as const;
const undone = (undo: UndoStatus, left: string | null = null) =>
  ({ name: "copy", status: "done", undo, left }) as const;

const RECORDS: Readonly<Record<string, readonly RecordedStep[]>> = {
  "never begun": [],
  running: [{ name: "copy", status: "running", ...NONE }],
  done: [{ name: "copy", status: "done", ...NONE }],
  "done with a warning": [{ name: "copy", status: "warned", ...NONE }],
  failed: [{ name: "copy", status: "failed", ...NONE }],
  "being undone": [undone(UndoStatus.RUNNING)],
  undone: [undone(UndoStatus.DONE)],
  kept: [undone(UndoStatus.KEPT)],
  "left behind": [undone(UndoStatus.FAILED, "volume 7")],
};

const CHANGES: Readonly<Record<string, (states: StepStates) => void>> = {
  begins: (states) => states.advance("copy", "running"),
  "is done": (states) => states.advance("copy", "done"),
  "is done with a warning": (states) => states.advance("copy", "warned"),
  fails: (states) => states.advance("copy", "failed"),
  "begins to be undone": (states) => states.undoBegins("copy"),
  "is undone": (states) => states.undoEnded("copy", null),
  "is kept": (states) => states.undoEnded("copy", KEPT),
  "is left behind": (states) => states.undoEnded("copy", "volume 7"),
};

const FORWARD = ["begins", "is done", "is done with a warning", "fails"];
const LEGAL: Readonly<Record<string, readonly string[]>> = {
  "never begun": FORWARD,
  running: [...FORWARD, "begins to be undone"],
  done: ["begins to be undone"],
  "done with a warning": ["begins to be undone"],
  failed: ["begins to be undone"],
  "being undone": ["begins to be undone", "is undone", "is kept", "is left behind"],
  undone: [],
  kept: [],
  "left behind": [],
};

describe("jobs/engine/stepStates", () => {
  for (const [state, recorded] of Object.entries(RECORDS)) {
    for (const [change, make] of Object.entries(CHANGES)) {
      const isLegal = LEGAL[state]?.includes(change) ?? assert.fail();
      it(`${isLegal ? "takes" : "refuses"} that a step which is ${state} ${change}`, () => {
        const states = new StepStates(recorded);
        if (isLegal) assert.doesNotThrow(() => make(states));
        else assert.throws(() => make(states), IllegalChange);
      });
    }
  }

  it("refuses a step of a job whose rollback has begun", () => {
    const states = new StepStates([undone(UndoStatus.DONE)]);
    assert.throws(() => states.advance("start", "running"), IllegalChange);
  });

  it("takes the undo of further steps once that of one has ended", () => {
    const states = new StepStates([undone(UndoStatus.DONE), { name: "start", status: "failed", ...NONE }]);
    states.undoBegins("start");
    states.undoEnded("start", "guest 100");
    assert.deepEqual(
      [states.undoneAs("copy"), states.undoneAs("start"), states.undoneAs("other")],
      [null, "guest 100", undefined],
    );
  });

  it("has what the undo of a step has come to", () => {
    const results = Object.values(RECORDS).map((recorded) => new StepStates(recorded).undoneAs("copy"));
    const none = Array.from({ length: 6 }, () => undefined);
    assert.deepEqual(results, [...none, null, KEPT, "volume 7"]);
  });

  it("counts a step as begun in every state, and as done until it is undone", () => {
    const begun = Object.entries(RECORDS).filter(([, recorded]) => new StepStates(recorded).hasBegun("copy"));
    assert.deepEqual(
      begun.map(([state]) => state),
      Object.keys(RECORDS).slice(1),
    );
    const isDone = Object.entries(RECORDS).filter(([, recorded]) => new StepStates(recorded).isDone("copy"));
    assert.deepEqual(
      isDone.map(([state]) => state),
      ["done", "done with a warning"],
    );
  });
});
