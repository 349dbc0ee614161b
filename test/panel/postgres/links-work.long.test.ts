/** The stories of links-work.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../links-work.test.ts";
