import { t } from "@lingui/core/macro";
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

const BRAND: MantineColorsTuple = [
  "#eef3ff",
  "#dbe5fb",
  "#b3c8f3",
  "#88a9ec",
  "#658fe6",
  "#4e7fe2",
  "#2f66d8",
  "#1f57c4",
  "#174aab",
  "#0f3d92",
];

/** White on shade 7, in the dark on shade 6, and shade 4 on black keep the contrast of WCAG AA. */
export const THEME = createTheme({
  primaryColor: "brand",
  primaryShade: { light: 7, dark: 6 },
  colors: { brand: BRAND },
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', Menlo, Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: {
          get "aria-label"() {
            return t`Show the password`;
          },
        },
      },
    },
    // Enter opens a menu on its first action.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Skeleton: { defaultProps: { "aria-busy": true } },
    Notification: {
      defaultProps: {
        closeButtonProps: {
          // Read when it is shown, in the current language.
          get "aria-label"() {
            return t`Close`;
          },
        },
      },
    },
  },
});

/** Runs before the first paint, so no page flashes in the other scheme. */
export function applyScheme(): void {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["mantineColorScheme"] = isDark ? "dark" : "light";
}

/** Soft text with a contrast of 4.5 and more. */
export const VARIABLES: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#6b7278",
    "--mantine-color-error": "#c92a2a",
  },
  dark: {
    "--mantine-color-anchor": BRAND[3],
    "--mantine-color-brand-light-color": BRAND[3],
    "--mantine-color-red-light-color": "#ff8787",
    "--mantine-color-dimmed": "#a3a7ad",
    "--mantine-color-placeholder": "#9a9ea4",
    "--mantine-color-error": "#ff8787",
  },
});
