import { enMails } from "../../src/extras/mail/texts/en.ts";
import { enStored } from "../../src/extras/privacy/texts/en.ts";
import { testCatalogs } from "../support/catalogs.ts";

testCatalogs("extras/mail", enMails);
testCatalogs("extras/privacy", enStored);
