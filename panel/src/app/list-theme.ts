import { createTheme } from "@mantine/core";
import { rankedOptions } from "../ui/forms/ranked-options.ts";

/** Tab passes the scroller, which closes with the field and would lose the focus. */
const SEARCHED = {
  defaultProps: {
    filter: rankedOptions,
    maxDropdownHeight: "min(220px, 40dvh)",
    scrollAreaProps: { viewportProps: { tabIndex: -1 } },
  },
};
const OPTIONS = {
  defaultProps: { mah: "min(20rem, 40dvh)", style: { overflowY: "auto" as const }, tabIndex: -1 },
};

/** Lists of choices. The page of the sign-in has none and does not load this. */
export const LIST_THEME = createTheme({
  components: {
    Autocomplete: SEARCHED,
    ComboboxOptions: OPTIONS,
    MultiSelect: SEARCHED,
    Select: SEARCHED,
    TagsInput: SEARCHED,
  },
});
