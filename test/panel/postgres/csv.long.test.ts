/** The stories of csv.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../csv.test.ts";
