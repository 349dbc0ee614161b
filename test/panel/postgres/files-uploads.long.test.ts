/** The stories of files-uploads.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../files-uploads.long.test.ts";
