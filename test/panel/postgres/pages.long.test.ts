/** The stories of pages.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../pages.test.ts";
