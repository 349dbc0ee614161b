/** Imported before tests of the panel: they run on PostgreSQL, in all looks, and the stories among them alone. */
import "./long.ts";

process.env["WAYMARK_TEST_PANEL_DATABASE"] = "postgres";
process.env["WAYMARK_TEST_PANEL_STORIES"] = "1";
