/** The stories of long-lists.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../long-lists.test.ts";
