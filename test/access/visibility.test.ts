// Who may share reads with whom: only viewers who cannot see different records.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { visibilityKey } from "../../src/access/visibility.js";
import type { Viewer } from "../../src/access/viewer.js";
import { UserRole } from "../../src/core/enums.js";
import type { ReadModel } from "../../src/reads/engine/model.js";
import { viewerTokenId, viewerUserId, type Slot } from "../../src/reads/engine/statement.js";
import { anonymous, managingToken, tokenViewer, userViewer } from "../support/context.js";

const withId = (viewer: Viewer, tokenId: number): Viewer => (viewer.kind === "token" ? { ...viewer, tokenId } : viewer);

describe("access/visibility", () => {
  it("gives one key to all who see everything and have the same permissions", () => {
    assert.equal(visibilityKey(userViewer(UserRole.ADMIN, 1)), visibilityKey(userViewer(UserRole.ADMIN, 2)));
    assert.equal(visibilityKey(withId(managingToken(), 1)), visibilityKey(withId(managingToken(), 2)));
  });

  const others: [string, Viewer, Viewer][] = [
    ["tokens of other hosts", managingToken([1]), managingToken([2])],
    ["a token of some hosts and one of all", managingToken([1]), managingToken()],
    ["tokens with other permissions", tokenViewer(), managingToken()],
    ["two tokens that do not manage hosts", withId(tokenViewer(), 1), withId(tokenViewer(), 2)],
    ["two tokens of the same hosts", withId(managingToken([1]), 1), withId(managingToken([1]), 2)],
    ["two customers", userViewer(UserRole.CUSTOMER, 1), userViewer(UserRole.CUSTOMER, 2)],
    ["two resellers", userViewer(UserRole.RESELLER, 1), userViewer(UserRole.RESELLER, 2)],
    ["people of other roles", userViewer(UserRole.ADMIN, 1), userViewer(UserRole.OPERATOR, 1)],
    ["a program and a person", managingToken(), userViewer(UserRole.ADMIN, 1)],
    ["nobody and somebody", anonymous, userViewer(UserRole.CUSTOMER, 1)],
  ];
  for (const [who, left, right] of others) {
    it(`distinguishes ${who}`, () => assert.notEqual(visibilityKey(left), visibilityKey(right)));
  }

  it("may leave out who sees everything, since no read of theirs depends on it", async () => {
    const models = await allModels();
    assert.ok(models.length > 15);
    for (const viewer of [userViewer(UserRole.ADMIN, 1), userViewer(UserRole.OPERATOR, 1), managingToken()]) {
      for (const model of models) assert.ok(!asksWho(model, viewer), `${model.type} for ${viewer.kind}`);
    }
    assert.ok(models.some((model) => asksWho(model, userViewer(UserRole.CUSTOMER, 1))));
  });
});

function asksWho(model: ReadModel, viewer: Viewer): boolean {
  const slots: Slot[] = [];
  const bind = (slot: Slot): string => `$${slots.push(slot)}`;
  model.visible("t", viewer, bind);
  for (const field of Object.values(model.fields)) if (field.kind === "column") field.sql("t", bind, viewer);
  return slots.some((slot) => slot === viewerUserId || slot === viewerTokenId);
}

async function allModels(): Promise<ReadModel[]> {
  const folder = new URL("../../src/reads/models/", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  return modules.flatMap((module: object) => Object.values(module).filter(isModel));
}

const isModel = (exported: unknown): exported is ReadModel =>
  typeof exported === "object" && exported !== null && "visible" in exported && "fields" in exported;
