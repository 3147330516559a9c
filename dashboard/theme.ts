// The look: calm, dense, and readable in light and dark (every text has at least 4.5:1 against its ground).
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";
import { texts } from "./texts/common.js";

const harbour: MantineColorsTuple = [
  "#eaf4fb",
  "#d5e6f3",
  "#a8cce6",
  "#78b0d9",
  "#5199ce",
  "#398bc7",
  "#2b84c5",
  "#1c6ba6",
  "#155f95",
  "#0a4a77",
];

export const theme = createTheme({
  colors: { harbour },
  primaryColor: "harbour",
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: "sm",
  fontFamily: "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace",
  // Where style.css begins to lay out side by side; tablets held upright are narrower.
  breakpoints: { sm: "53em" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "1.25rem" }, h2: { fontSize: "1rem" }, h3: { fontSize: "0.875rem" } },
  },
  cursorType: "pointer",
  components: {
    Alert: { defaultProps: { variant: "light", p: "xs" } },
    Badge: { defaultProps: { variant: "light", size: "sm", radius: "sm", tt: "none", fw: 500 } },
    Button: { defaultProps: { size: "xs" } },
    ActionIcon: { defaultProps: { variant: "subtle", size: "md", color: "gray" } },
    Menu: { defaultProps: { shadow: "md", position: "bottom-end" } },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": texts.close } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": texts.close } } },
    Paper: { defaultProps: { withBorder: true } },
    Table: { defaultProps: { verticalSpacing: 5, fz: "sm" } },
    Tooltip: {
      defaultProps: { openDelay: 250, multiline: true, maw: 420, events: { hover: true, focus: true, touch: true } },
    },
    TextInput: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "xs" } },
    NumberInput: { defaultProps: { size: "xs" } },
    Select: { defaultProps: { size: "xs", checkIconPosition: "right" } },
    MultiSelect: { defaultProps: { size: "xs" } },
    Autocomplete: { defaultProps: { size: "xs" } },
    TagsInput: { defaultProps: { size: "xs" } },
    Checkbox: { defaultProps: { size: "xs" } },
    Switch: { defaultProps: { size: "sm" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    Radio: { defaultProps: { size: "xs" } },
  },
});

/** Colours of tinted texts, where the library's own are too pale to read. */
const TINTED = ["harbour", "blue", "teal", "green", "yellow", "orange", "red", "gray", "violet"] as const;

export const cssVariablesResolver: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#53606b",
    "--mantine-color-placeholder": "#68727b",
    "--mantine-color-error": "#b42318",
    "--mantine-color-body": "#ffffff",
    "--drover-ground": "#f5f7f9",
    "--drover-line": "#dee2e6",
    "--drover-shade": "rgb(16 19 22 / 16%)",
    "--mantine-color-anchor": colors["harbour"]?.[8] ?? "",
    ...tinted((color) => `color-mix(in srgb, var(--mantine-color-${color}-9) 62%, black)`),
  },
  dark: {
    "--mantine-color-dimmed": "#a3adb5",
    "--mantine-color-placeholder": "#8f99a1",
    "--mantine-color-error": "#ff9d94",
    "--mantine-color-body": "#171b1f",
    "--mantine-color-default": "#1e2327",
    "--mantine-color-default-border": "#363d44",
    "--drover-ground": "#101316",
    "--drover-line": "#2e343a",
    "--drover-shade": "rgb(0 0 0 / 70%)",
    "--mantine-color-anchor": colors["harbour"]?.[3] ?? "",
    ...tinted((color) => `var(--mantine-color-${color}-2)`),
  },
});

const tinted = (value: (color: string) => string): Record<string, string> =>
  Object.fromEntries(TINTED.map((color) => [`--mantine-color-${color}-light-color`, value(color)]));
