/** Columns of the list, and which of them the reader chose. */
import { useLingui } from "@lingui/react/macro";
import { useLocalStorage } from "@mantine/hooks";
import type { CSSProperties } from "react";
import type { Order, Sort } from "../link-search.ts";

export type ColumnName = "code" | "target" | "tags" | "clicks" | "people" | "created" | "expires" | "owner";

export type LinkColumn = {
  name: ColumnName;
  label: string;
  /** What the label leaves unsaid. */
  hint?: string;
  /** At least so many rem. */
  least: number;
  /** Of the room that is left over. */
  grow?: number;
  sort?: Sort;
  isNumber?: boolean;
  /** Always shown. */
  isFixed?: boolean;
};

/** The order of a column's first sort. */
export const FIRST_ORDER: Record<Sort, Order> = {
  created_at: "desc",
  code: "asc",
  human_clicks: "desc",
  click_count: "desc",
  expires_at: "asc",
};

const DEFAULT: ColumnName[] = ["tags", "people", "created"];

export function useColumns() {
  const { t } = useLingui();
  const allTime = t`Since the link was created`;
  const all: LinkColumn[] = [
    { name: "code", label: t`Link`, least: 15, grow: 1.6, sort: "code", isFixed: true },
    { name: "target", label: t`Target`, least: 11, grow: 2, isFixed: true },
    { name: "tags", label: t`Tags`, least: 7, grow: 1.2 },
    {
      name: "people",
      label: t({ message: "Human clicks", context: "column" }),
      hint: allTime,
      least: 6.5,
      sort: "human_clicks",
      isNumber: true,
    },
    { name: "clicks", label: t`All clicks`, hint: allTime, least: 5.5, sort: "click_count", isNumber: true },
    { name: "created", label: t`Created`, least: 7.5, sort: "created_at" },
    { name: "expires", label: t`Expires`, least: 7.5, sort: "expires_at" },
    { name: "owner", label: t`Owner`, least: 7 },
  ];
  const [chosen, choose] = useLocalStorage<ColumnName[]>({
    key: "waymark-link-columns",
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
    deserialize: readColumns,
  });
  return {
    all,
    shown: all.filter(({ name, isFixed }) => isFixed || chosen.includes(name)),
    toggle: (name: ColumnName) =>
      choose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]),
  };
}

/** By which one sorts, one sees. */
export const withSorted = (
  { all, shown }: Pick<ReturnType<typeof useColumns>, "all" | "shown">,
  sorted: Sort | undefined,
): readonly LinkColumn[] =>
  all.filter((column) => shown.includes(column) || (sorted !== undefined && column.sort === sorted));

/** The stored value may be of another version. */
function readColumns(stored: string | undefined): ColumnName[] {
  try {
    const names: unknown = JSON.parse(stored ?? "");
    return Array.isArray(names)
      ? names.filter((name): name is ColumnName => typeof name === "string")
      : DEFAULT;
  } catch {
    return DEFAULT;
  }
}

/** What goes first as the window narrows. */
const LESS_IMPORTANT: readonly ColumnName[] = ["created", "owner", "expires", "tags", "clicks", "target"];

/** The columns for which there is room. @param width of the list, in rem; 0: unknown. `sorted` stays */
export function fittingColumns(
  columns: readonly LinkColumn[],
  width: number,
  sorted?: Sort,
): readonly LinkColumn[] {
  let shown = columns;
  for (const name of LESS_IMPORTANT) {
    if (width === 0 || leastOf(shown) <= width) break;
    shown = shown.filter(
      (column) => column.name !== name || (sorted !== undefined && column.sort === sorted),
    );
  }
  return shown;
}

const leastOf = (columns: readonly LinkColumn[]): number =>
  [CHECK_REM, ...columns.map(({ least }) => least), ACTIONS_REM].reduce(
    (sum, width) => sum + width + GAP_REM,
    PADDING_REM - GAP_REM,
  );

const CHECK_REM = 2.25;
const ACTIONS_REM = 4.5;
const GAP_REM = 0.75;
/** Of a row, at both ends together. */
const PADDING_REM = 1.5;

/** Custom properties of the grid: its columns, and the width below which it scrolls sideways. */
export function gridOf(columns: readonly LinkColumn[]): CSSProperties {
  const tracks = columns.map(({ least, grow }) =>
    grow === undefined ? `${least}rem` : `minmax(${least}rem, ${grow}fr)`,
  );
  return {
    "--columns": `${CHECK_REM}rem ${tracks.join(" ")} ${ACTIONS_REM}rem`,
    "--least": `${leastOf(columns)}rem`,
  } as CSSProperties;
}
