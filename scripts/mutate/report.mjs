// Prints what became of the mutants: figures by folder, and each that no spec noticed.
import { dirname } from "node:path";

/** @param {string} line */
export const say = (line) => process.stdout.write(`${line}\n`);

const LONGEST_TEXT = 80;
const short = (text) => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
};

/** @param {readonly { file: string, place: string, kind: string, was: string, text: string, verdict: string }[]} tried */
export function report(tried) {
  for (const { place, kind, was, text } of tried.filter(({ verdict }) => verdict === "survived"))
    say(`survived  ${place}  ${kind}: ${short(was)}  →  ${short(text)}`);
  for (const [folder, mutants] of Map.groupBy(tried, ({ file }) => dirname(file))) {
    const count = (wanted) => mutants.filter(({ verdict }) => verdict === wanted).length;
    const noticed = count("killed") + count("timed out");
    say(
      `${folder}: ${mutants.length} tried, ${count("killed")} killed, ${count("timed out")} timed out, ` +
        `${count("survived")} survived (${((100 * noticed) / mutants.length).toFixed(1)} % noticed)`,
    );
  }
}
