/** The stories of files-uploads.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../files-uploads.test.ts";
