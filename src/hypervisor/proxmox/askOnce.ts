// Asks each question of one operation only once, where many of its parts need the same answer.
import type { ApiAnswer, Ask } from "./client.js";

/** Answers are remembered as long as the asker, refusals too; changes are passed on as they are. */
export function askOnce(ask: Ask): Ask {
  const answers = new Map<string, Promise<ApiAnswer>>();
  return (call) => {
    if (call.method !== "GET") return ask(call);
    const question = JSON.stringify([call.path, call.parameters]);
    const known = answers.get(question);
    if (known !== undefined) return known;
    const answer = ask(call);
    answers.set(question, answer);
    return answer;
  };
}
