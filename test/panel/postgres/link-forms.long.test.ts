/** The stories of link-forms.test.ts on PostgreSQL. */
import "../../support/on-postgres.ts";
import "../link-forms.test.ts";
