/** The stories of long-lists.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../long-lists.long.test.ts";
