/** The stories of import-reload.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../import-reload.test.ts";
