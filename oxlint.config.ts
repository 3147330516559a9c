// The linter's rules: correctness, types, sizes, and who may import whom.
import { layerOverrides } from "./scripts/layerRules.mjs";

const NO_PAUSE =
  "A test waits for a condition (`until`, `eventually`), or moves its own time (`HandTime`): see docs/engineering.md.";

const NO_EVAL =
  "The panel's Content-Security-Policy refuses every look but the first: use `until` with `page.evaluate`.";

/** What plays a part that takes time, what waits for conditions, and the series that run beside the tests. */
const PAUSING = [
  "test/support/{until,eventually}.ts",
  "test/support/mongo/changeStream.ts",
  "test/graphql/support/listener.ts",
  "test/hypervisor/proxmox/lateLogin.test.ts",
  "test/jobs/migration/stage.ts",
  "test/{otherPlatforms,upgrade}/**",
];

export default {
  plugins: ["typescript", "unicorn", "import", "promise", "node", "oxc"],
  categories: { correctness: "error", suspicious: "error" },
  options: { typeAware: true },
  ignorePatterns: ["dist/**", "node_modules/**", ".drover/**", "dashboard/generated/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "eslint/no-console": "error",
    // Types count: files in a circle of types must be read as a whole, too.
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "eslint/max-lines": ["error", { max: 300, skipComments: true, skipBlankLines: true }],
    "oxc/no-async-endpoint-handlers": "off",
  },
  overrides: [
    ...layerOverrides,
    {
      // A host has nodes and a node has its host: GraphQL types refer to each other, by functions.
      files: ["schema/{host,node}.ts", "src/reads/models/{host,node}.ts"],
      rules: { "import/no-cycle": "off" },
    },
    {
      files: ["test/**"],
      rules: {
        "eslint/no-restricted-imports": [
          "error",
          { paths: [{ name: "node:timers/promises", importNames: ["setTimeout"], message: NO_PAUSE }] },
        ],
        "eslint/no-restricted-globals": ["error", { name: "setTimeout", message: NO_PAUSE }],
        "eslint/no-restricted-properties": ["error", { property: "waitForFunction", message: NO_EVAL }],
      },
    },
    {
      files: PAUSING,
      rules: { "eslint/no-restricted-imports": "off", "eslint/no-restricted-globals": "off" },
    },
    { files: ["dashboard/**"], rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }] } },
  ],
};
