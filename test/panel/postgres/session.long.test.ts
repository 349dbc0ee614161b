/** The stories of session.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../session.long.test.ts";
