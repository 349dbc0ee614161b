/** Imported before a suite: it runs what `npm test` leaves out of it. */
process.env["WAYMARK_TEST_LONG"] = "1";
