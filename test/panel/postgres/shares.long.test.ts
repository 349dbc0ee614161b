/** The stories of shares.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../shares.test.ts";
