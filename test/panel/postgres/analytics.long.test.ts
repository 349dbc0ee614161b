/** The stories of analytics.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../analytics.test.ts";
