/** The stories of import-reload.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../import-reload.long.test.ts";
