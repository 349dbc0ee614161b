/** The stories of session.ci.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../session.ci.test.ts";
