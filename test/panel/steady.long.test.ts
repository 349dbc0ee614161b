/** Pages and the form of a link stay in place on a wide window. */
import "../support/long.ts";
import "./steady.test.ts";
