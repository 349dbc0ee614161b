/** The stories of admin-settings.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../admin-settings.long.test.ts";
