/** The stories of pages.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../pages.long.test.ts";
