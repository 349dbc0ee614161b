/** Requests to the process that reads a SQLite file, and its replies: lines of JSON. */
export const ROWS_COMMAND = "read-rows";

export type RowsRequest = {
  path: string;
  /** Tables by their alias in `from`; views and virtual tables are refused. */
  tables: Readonly<Record<string, string>>;
  from: string;
  /** `alias.column` by the name in the reply; null where the file lacks that column. */
  columns: Readonly<Record<string, string>>;
  /** Without them the file is of another program. */
  needed: readonly string[];
  /** The table whose rowid is the position. */
  by: string;
  after: number;
};

export type Cell = string | number | null;

/** `isCut`: a value was longer than LONGEST_VALUE_BYTES and is null. */
export type ForeignRow = { position: number; isCut: boolean; values: Readonly<Record<string, Cell>> };

/** The reply to one line: rows, none at the end; or why there are none. */
export type RowsResponse = { rows: ForeignRow[] } | { problem: string };

export const LONGEST_VALUE_BYTES = 32 * 1024;
