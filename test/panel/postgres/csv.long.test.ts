/** The stories of csv.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../csv.long.test.ts";
