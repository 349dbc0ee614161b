/** The state of the page of files, which lives in the URL. */
const FILE_SORTS = ["name", "size", "date"] as const;
export type FileSort = (typeof FILE_SORTS)[number];
export type FileOrder = "asc" | "desc";

export type FileSearch = {
  /** Whose files; absent: those of the account. */
  team?: string;
  /** Absent: the root. */
  folder?: number;
  /** Searches the whole tree. */
  q?: string;
  sort?: FileSort;
  order?: FileOrder;
  /** The file in the preview. */
  file?: number;
};

/** The order of a column's first sort. */
export const FIRST_FILE_ORDER: Record<FileSort, FileOrder> = { name: "asc", size: "desc", date: "desc" };

const idOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** Reads the address, which anybody may have typed. */
export function readFileSearch(search: Record<string, unknown>): FileSearch {
  const textOf = (value: unknown) => (["string", "number"].includes(typeof value) ? String(value) : "");
  const [q, team] = [textOf(search["q"]), textOf(search["team"])];
  const folder = idOf(search["folder"]);
  const file = idOf(search["file"]);
  const sort = FILE_SORTS.find((known) => known === search["sort"]);
  const order = (["asc", "desc"] as const).find((known) => known === search["order"]);
  return {
    ...(team !== "" && { team }),
    ...(folder !== undefined && { folder }),
    ...(q !== "" && { q }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(file !== undefined && { file }),
  };
}
