/** Columns of the list: which there are, and which the reader chose. */
import { useLingui } from "@lingui/react/macro";
import { useLocalStorage } from "@mantine/hooks";
import type { Order, Sort } from "../link-search.ts";

export type ColumnName = "code" | "target" | "tags" | "clicks" | "people" | "created" | "expires" | "owner";

export type LinkColumn = {
  name: ColumnName;
  label: string;
  /** Of the grid. */
  width: string;
  sort?: Sort;
  isNumber?: boolean;
  /** Always shown. */
  isFixed?: boolean;
};

/** The order in which a first choice of the column sorts. */
export const FIRST_ORDER: Record<Sort, Order> = {
  created_at: "desc",
  code: "asc",
  click_count: "desc",
  expires_at: "asc",
};

const DEFAULT: ColumnName[] = ["tags", "clicks", "created"];

export function useColumns() {
  const { t } = useLingui();
  const all: LinkColumn[] = [
    { name: "code", label: t`Code`, width: "minmax(9rem, 1.1fr)", sort: "code", isFixed: true },
    { name: "target", label: t`Target`, width: "minmax(11rem, 2.4fr)", isFixed: true },
    { name: "tags", label: t`Tags`, width: "minmax(7rem, 1.2fr)" },
    { name: "clicks", label: t`Clicks`, width: "5.5rem", sort: "click_count", isNumber: true },
    { name: "people", label: t`People`, width: "5.5rem", isNumber: true },
    { name: "created", label: t`Created`, width: "7.5rem", sort: "created_at" },
    { name: "expires", label: t`Expires`, width: "7.5rem", sort: "expires_at" },
    { name: "owner", label: t`Made by`, width: "7rem" },
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

/** What is stored may be of another version. */
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

export const gridOf = (columns: readonly LinkColumn[]): string =>
  `2.25rem ${columns.map(({ width }) => width).join(" ")} 4.5rem`;
