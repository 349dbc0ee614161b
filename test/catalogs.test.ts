import { en } from "../src/visitors/texts/en.ts";
import { testCatalogs } from "./support/catalogs.ts";

testCatalogs("visitors", en);
