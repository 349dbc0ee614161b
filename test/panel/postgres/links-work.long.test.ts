/** The stories of links-work.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../links-work.long.test.ts";
