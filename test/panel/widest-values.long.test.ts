/** The widest values on a wide window. */
import "../support/long.ts";
import "./widest-values.test.ts";
