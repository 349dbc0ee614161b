/** The stories of shares.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../shares.long.test.ts";
