/** The stories of admin-accounts.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../admin-accounts.test.ts";
