/** Imported before tests of the panel: they run on PostgreSQL, and the stories among them alone. */
process.env["WAYMARK_TEST_PANEL_DATABASE"] = "postgres";
process.env["WAYMARK_TEST_PANEL_STORIES"] = "1";
