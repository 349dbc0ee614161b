/** All pages for visitors in four looks. */
import "./support/long.ts";
import "./visitor-accessibility.ci.test.ts";
