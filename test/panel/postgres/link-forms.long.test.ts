/** The stories of link-forms.long.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../link-forms.long.test.ts";
