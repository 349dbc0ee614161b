/** Imported before a suite: it runs what CI leaves out of it. */
process.env["WAYMARK_TEST_LONG"] = "1";
