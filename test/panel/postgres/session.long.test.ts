/** The stories of session.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../session.test.ts";
