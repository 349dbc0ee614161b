/** Every page on a narrow screen in the languages that `npm test` leaves out. */
import "../support/long.ts";
import "./every-page.test.ts";
