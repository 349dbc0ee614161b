/** Certificates over kills, renewals under load and on two nodes, too. */
import "../support/long.ts";
import "./acme.ci.test.ts";
