// Builds the dashboard: typed documents, type check, bundle, compressed copies. Copied from the current build when nothing changed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, "dashboard");
const current = join(root, "dist");
/** Says what the dashboard of a build was made of. */
const STAMP = "dashboard.inputs";

/** The service puts a fresh value in its place with every answer; see its content policy. */
const NONCE_PLACEHOLDER = "DROVER_NONCE";
/** Smaller files are not worth a second copy. */
const LEAST_COMPRESSED_BYTES = 1024;
/** Uncompressed, thousands of bytes. */
const LARGEST_FILE_KB = 650;
/** What every page needs stands in one file, what most pages need in another, and what forms need in a third: many small files compress badly. */
const GROUPS = [
  {
    name: "frame",
    priority: 3,
    test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(history|react-router|react-store|router-core|store)|urql|@urql|wonka|@0no-co|graphql-ws|clsx|tslib|@floating-ui|@babel|get-nonce|use-sync-external-store)\/|@mantine\/(hooks|store|core\/esm\/(core|utils|components\/(Input|Popover|Portal|Transition|CloseButton|FocusTrap|VisuallyHidden|Loader|UnstyledButton|Paper|ActionIcon|Button|Menu|Tooltip|NavLink|Burger|Kbd|Collapse|Text|Group|Stack|Anchor|Title|Box|Alert|Skeleton)))\/|dashboard\/(shell\/(?!palette|SignInAgain|Voices|SecondFactorDue)|generated|client\/(?!act)|router|search|theme|format|texts\/(common|format|shell))/,
  },
  {
    name: "common",
    priority: 2,
    test: /dashboard\/(texts\/terms|components\/(Age|Answer|Facts|JobList|Meter|MoveList|NodeTable|Page|Pager|Section|Status|Rollback|FailureText|Table|TableLine|Hint|hostNames|links|now|tell))\.|client\/act|@mantine\/core\/esm\/components\/(Grid|SimpleGrid|Breadcrumbs|Badge|Progress|Checkbox|InputBase|NativeSelect|Table|Pagination|ScrollArea)\/|@tanstack\/(react-table|table-core)\//,
  },
  {
    name: "forms",
    priority: 1,
    test: /@mantine\/form\/|@mantine\/core\/esm\/components\/(NumberInput|Combobox|Select|MultiSelect|TagsInput|Autocomplete|Textarea|PasswordInput|Pill|PillsInput|SegmentedControl|FloatingIndicator)\/|react-number-format/,
  },
];
const COMPRESSED = new Set([".js", ".css", ".svg", ".json"]);

/** Writes `dashboard` and its stamp below the folder of a build. @throws Error when a document, a type or a style is wrong */
export async function buildDashboard(build) {
  const inputs = fingerprint();
  const output = join(build, "dashboard");
  if (isCurrent(inputs)) {
    cpSync(join(current, "dashboard"), output, { recursive: true });
  } else {
    // Loaded only when there is something to build: what is unchanged costs nothing.
    const { generateDocuments } = await import("./dashboardDocuments.mjs");
    await generateDocuments(root);
    await Promise.all([checkTypes(), bundle(output)]);
  }
  writeFileSync(join(build, STAMP), inputs);
}

function isCurrent(inputs) {
  const made = [join(current, STAMP), join(current, "dashboard"), join(sources, "generated")];
  return made.every((path) => existsSync(path)) && readFileSync(join(current, STAMP), "utf8") === inputs;
}

/** Of everything that the output is made of. */
function fingerprint() {
  const hash = createHash("sha256");
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(sources, "generated")))
    .map((entry) => join(entry.parentPath, entry.name));
  const tools = [
    "schema/schema.graphql",
    "src/core/settings.ts",
    "src/core/enums.ts",
    "package-lock.json",
    "scripts/buildDashboard.mjs",
    "scripts/dashboardDocuments.mjs",
  ];
  for (const file of [...files, ...tools.map((name) => join(root, name))].toSorted()) {
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

async function checkTypes() {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const child = spawn(process.execPath, [compiler, "-p", sources], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The dashboard's types do not fit");
}

async function bundle(output) {
  const [{ build }, { default: react }] = await Promise.all([import("vite"), import("@vitejs/plugin-react")]);
  await build({
    root: sources,
    configFile: false,
    logLevel: "warn",
    plugins: [react(), styled()],
    html: { cspNonce: NONCE_PLACEHOLDER },
    build: {
      chunkSizeWarningLimit: LARGEST_FILE_KB,
      outDir: output,
      emptyOutDir: true,
      target: "es2023",
      sourcemap: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
    },
  });
  for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSED.has(extname(entry.name))) compress(join(entry.parentPath, entry.name));
  }
}

/** Refuses a bundle with a component whose styles nobody imports: it would be there without its looks. */
function styled() {
  const library = join(root, "node_modules", "@mantine", "core");
  const imported = readFileSync(join(sources, "components.css"), "utf8");
  return {
    name: "styles of components",
    generateBundle(_options, chunks) {
      const names = Object.values(chunks)
        .flatMap(({ moduleIds = [] }) => moduleIds)
        .map((id) => /@mantine\/core\/esm\/(?:components|utils)\/.*?(\w+)\.mjs$/.exec(id)?.[1])
        .filter((name) => existsSync(join(library, "styles", `${name}.css`)));
      const missing = new Set(names.filter((name) => !imported.includes(`/${name}.css`)));
      if (missing.size > 0) throw new Error(`dashboard/components.css lacks ${[...missing].join(", ")}`);
    },
  };
}

function compress(file) {
  const plain = readFileSync(file);
  if (plain.length < LEAST_COMPRESSED_BYTES) return;
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(plain, { params: quality }));
  writeFileSync(`${file}.gz`, gzipSync(plain, { level: constants.Z_BEST_COMPRESSION }));
}
