/** The stories of admin-settings.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../admin-settings.test.ts";
