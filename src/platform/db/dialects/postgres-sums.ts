import { sql } from "kysely";
import type { Dialect } from "../dialect.ts";

export const postgresSums: Pick<Dialect, "sum" | "joinMany"> = {
  // Sums of integers are decimal numbers, which take more time and memory.
  sum: (column) => sql`sum(${sql.ref(column)}::float8)`,
  // The planner expects 200 groups of a union, however many there are: it would look up each in an index, sort them for
  // the next groups, and write to disk what exceeds its memory.
  joinMany: (db, ask) =>
    db
      .transaction()
      .setAccessMode("read only")
      .execute(async (tx) => {
        await sql`select set_config('work_mem', '32MB', true), set_config('enable_nestloop', 'off', true),
          set_config('enable_sort', 'off', true)`.execute(tx);
        return ask(tx);
      }),
};
