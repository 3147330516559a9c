// Asks the service behind the panel directly, as a second person or a program does; a service that is busy is asked again when it says.
import { z } from "zod";
import { graphqlClient, signIn } from "../../../demo/graphqlClient.js";
import { panel } from "./panel.js";

/** Ends the session with this token, as another program that holds it could. */
export const endSession = (token: string): Promise<unknown> =>
  graphqlClient({ url: panel.graphql, token, over: panel.over })("mutation { logout }", {}, z.unknown());

/** @returns a way to ask as the admin, in a session apart from the browser's; it throws the service's words when it refuses */
export async function secondPerson(): Promise<
  (query: string, variables?: Record<string, unknown>) => Promise<unknown>
> {
  const ask = await signIn({ url: panel.graphql, over: panel.over }, panel.admin);
  return (query, variables = {}) => ask(query, variables, z.unknown());
}
