// Makes people who are one test's alone, and signs them in beside the browser, as a program does.
import { z } from "zod";
import { signIn } from "../../../demo/graphqlClient.js";
import { secondPerson } from "./ask.js";
import { enterCredentials, panel, type PanelPage } from "./panel.js";

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly password: string;
}

const made = z.object({ createUser: z.object({ password: z.string(), user: z.object({ id: z.number() }) }) });
const MAKE = `mutation ($username: String!, $email: String!, $role: UserRole!) {
  createUser(username: $username, email: $email, role: $role) { password user { id } }
}`;

export async function makePerson(username: string, role: "OPERATOR" | "CUSTOMER" = "OPERATOR"): Promise<Person> {
  const ask = await secondPerson();
  const { createUser } = made.parse(await ask(MAKE, { username, email: `${username}@people.example`, role }));
  return { id: createUser.user.id, username, password: createUser.password };
}

/** Opens a session that no browser has. @returns a use of it, which is refused once the session has ended */
export async function openSession(person: Person): Promise<() => Promise<unknown>> {
  const ask = await signIn({ url: panel.graphql, over: panel.over }, person);
  return () => ask("{ viewer { user { id } } }", {}, z.unknown());
}

/** A page of this person, at this address of the panel. */
export async function openAs(person: Person, path: string): Promise<PanelPage> {
  const opened = await panel.openAsNobody();
  await opened.page.goto(panel.url + path);
  await enterCredentials(opened.page, person);
  await opened.page.getByRole("status").getByText("Live").waitFor();
  return opened;
}
