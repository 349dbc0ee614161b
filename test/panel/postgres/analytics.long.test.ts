/** The stories of analytics.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../analytics.long.test.ts";
