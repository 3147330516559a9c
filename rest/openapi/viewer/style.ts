// How the page of the description looks, by day and by night.
import { Html } from "./html.js";

export const STYLE = new Html(`
:root { color-scheme: light dark; --line: #8884; --faint: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
h1, h2, h3, h4 { line-height: 1.25; } h4 { margin: 1rem 0 .25rem; }
h1 small, th small, td small { font-weight: normal; opacity: .7; }
nav { columns: 20rem; border-block: 1px solid var(--line); padding-bottom: 1rem; }
nav h2 { font-size: 1rem; margin: 1rem 0 .25rem; break-after: avoid; }
nav ul { list-style: none; margin: 0; padding: 0; } nav a { font: 13px ui-monospace, monospace; }
section { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; padding: 0 1rem 1rem; overflow-x: auto; }
section:target { outline: 2px solid #47c; }
table { border-collapse: collapse; width: 100%; } td table { margin-top: .5rem; }
th, td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: top; }
code { font: 13px ui-monospace, monospace; background: var(--faint); padding: 0 .2em; }
h3 b { border-radius: 4px; color: #fff; font-size: .8em; padding: .1em .5em; }
.get { background: #2a6fb0; } .post { background: #2e7d46; } .delete { background: #b03a2e; }
`);
