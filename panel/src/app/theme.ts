import { t } from "@lingui/core/macro";
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";
import { accentOf } from "../../../src/lib/accent.ts";
import { COLOURS, GREYS, RADIUS, SPACE, TYPE } from "../../../src/lib/tokens.ts";
import { ACCENT_COLOUR } from "../base/place.ts";

const { onFill, shades, tints, ...inks } = accentOf(ACCENT_COLOUR);

const tuple = (ten: readonly string[]) => ten as unknown as MantineColorsTuple;

/** From the tokens that the pages of visitors follow too. The accent is shade 7, in the dark 6: see `accentOf`. */
export const THEME = createTheme({
  primaryColor: "brand",
  primaryShade: { light: 7, dark: 6 },
  colors: { brand: tuple(shades), gray: tuple(GREYS.light), dark: tuple(GREYS.dark) },
  black: COLOURS.light.ink,
  // White on a light accent can't be read.
  autoContrast: onFill !== "#ffffff",
  luminanceThreshold: 0.179,
  defaultRadius: "md",
  radius: RADIUS,
  spacing: SPACE,
  fontSizes: TYPE.size,
  fontFamily: TYPE.family,
  fontFamilyMonospace: TYPE.mono,
  headings: { fontWeight: TYPE.weight },
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
    // What stands beside a text only repeats it.
    Alert: { defaultProps: { attributes: { icon: { "aria-hidden": true } } } },
    Button: { defaultProps: { attributes: { section: { "aria-hidden": true } } } },
    ComboboxChevron: { defaultProps: { "aria-hidden": true } },
    Badge: { defaultProps: { tt: "none", fw: 500 } },
    // Enter opens a menu on its first action.
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        attributes: { itemSection: { "aria-hidden": true } },
      },
    },
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

const variablesOf = (scheme: keyof typeof COLOURS) => {
  const { ground, card, ink, soft, hint, line, warn, right, amber } = COLOURS[scheme];
  return {
    "--ground": ground,
    "--card": card,
    "--right": right,
    "--amber": amber,
    "--mantine-color-text": ink,
    "--mantine-color-dimmed": soft,
    "--mantine-color-placeholder": hint,
    "--mantine-color-default-border": line,
    "--mantine-color-error": warn,
    "--mantine-color-anchor": inks[scheme],
    "--mantine-color-brand-light": tints[scheme],
    "--mantine-color-brand-light-hover": tints[scheme],
    "--mantine-color-brand-light-color": inks[scheme],
  };
};

/** Texts with a contrast of 4.5 and more. */
export const VARIABLES: CSSVariablesResolver = () => ({
  variables: {},
  light: variablesOf("light"),
  dark: { ...variablesOf("dark"), "--mantine-color-red-light-color": COLOURS.dark.warn },
});
