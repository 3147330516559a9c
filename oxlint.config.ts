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
    { files: ["dashboard/**"], rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }] } },
  ],
};
