// The linter's rules: correctness, types, sizes, and who may import whom.
import { layerOverrides } from "./scripts/layerRules.mjs";

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
    "eslint/max-lines": ["error", { max: 300, skipComments: true, skipBlankLines: true }],
    "oxc/no-async-endpoint-handlers": "off",
  },
  overrides: [
    ...layerOverrides,
    {
      // Types count: files in a circle of types must be read as a whole, too.
      files: [
        "simulator/**",
        "dashboard/**",
        "rest/**",
        "graphql/**",
        "heartbeat/**",
        "app/**",
        "src/hypervisor/**",
        "src/core/**",
      ],
      rules: { "import/no-cycle": ["error", { ignoreTypes: false }] },
    },
    { files: ["dashboard/**"], rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }] } },
  ],
};
