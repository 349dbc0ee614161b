/** The stories of admin-accounts.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../admin-accounts.long.test.ts";
