/** Reports by mail over kills, and thousands of mails, too. */
import "../support/long.ts";
import "./mail.ci.test.ts";
